# Debian packages, one per component, made by `cpack` in a build folder: the shared library, the development files and,
# if they are built, the programs. Presets release, pi-aarch64 and pi-armhf.
set(library libbzscr-rt${PROJECT_VERSION_MAJOR})
set(packages runtime dev)
if(TARGET bzscr-store)
  list(APPEND packages store)
endif()
if(BZSCR_BUILD_TOOLS)
  list(APPEND packages tools)
endif()
set(name_runtime ${library})
set(name_dev libbzscr-rt-dev)
set(name_tools bzscr-tools)
set(name_store bzscr-store)

# Files that Debian's policy requires: copyright, changelog, and a manual page for each program.
set(debian ${CMAKE_CURRENT_LIST_DIR}/debian)
set(made ${PROJECT_BINARY_DIR}/debian)
find_program(BZSCR_GZIP gzip REQUIRED)
file(MAKE_DIRECTORY ${made})
execute_process(COMMAND ${BZSCR_GZIP} -9nc ${debian}/changelog OUTPUT_FILE ${made}/changelog.Debian.gz COMMAND_ERROR_IS_FATAL ANY)
foreach(component ${packages})
  install(FILES ${made}/changelog.Debian.gz ${debian}/copyright DESTINATION share/doc/${name_${component}} COMPONENT ${component})
endforeach()
find_program(BZSCR_HELP2MAN help2man)
if(BZSCR_HELP2MAN AND (BZSCR_BUILD_TOOLS OR TARGET bzscr-store))
  get_property(programs DIRECTORY ${PROJECT_SOURCE_DIR}/tools PROPERTY BUILDSYSTEM_TARGETS)
  list(FILTER programs INCLUDE REGEX "^bzscr-")
  foreach(program ${programs})
    get_target_property(libraries ${program} LINK_LIBRARIES)
    if(libraries MATCHES "bzscr_(data|pipeline|train_support|train_program)")
      continue()  # the trainer's, which are in no package
    endif()
    # The first comment of the program's source is the description in its manual page.
    get_target_property(source ${program} SOURCES)
    list(GET source 0 source)
    file(STRINGS ${PROJECT_SOURCE_DIR}/tools/${source} about LIMIT_COUNT 1)
    string(REGEX REPLACE "^// ${program}: (.*[^.])\\.?$" "\\1" about "${about}")
    set(component tools)
    if(program STREQUAL "bzscr-store")
      set(component store)
    endif()
    # help2man runs the program, in the emulator where it is another machine's.
    list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
    file(GENERATE OUTPUT ${made}/run/${program} CONTENT "#!/bin/sh\nexec ${emulator} \"$<TARGET_FILE:${program}>\" \"$@\"\n"
      FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
    install(CODE "
      execute_process(COMMAND ${BZSCR_HELP2MAN} --no-info \"--name=${about}\" --section=1 --source=BZ-SCR ${made}/run/${program}
        OUTPUT_FILE ${made}/${program}.1 COMMAND_ERROR_IS_FATAL ANY)
      execute_process(COMMAND ${BZSCR_GZIP} -9nc ${made}/${program}.1 OUTPUT_FILE ${made}/${program}.1.gz COMMAND_ERROR_IS_FATAL ANY)"
      COMPONENT ${component})
    install(FILES ${made}/${program}.1.gz DESTINATION share/man/man1 COMPONENT ${component})
  endforeach()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "BZ-SCR maintainers")
set(CPACK_PACKAGE_CONTACT "BZ-SCR maintainers <maintainers@bzscr.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "zero-shot classification on small devices")
set(CPACK_COMPONENTS_ALL ${packages})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^arm")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE armhf)
else()
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE amd64)
endif()
# CPack of this version cannot write the field Multi-Arch.
set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/multi_arch.cmake)
set(exact_version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

foreach(component ${packages})
  string(TOUPPER ${component} COMPONENT)
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME ${name_${component}})
endforeach()

# The library uses only memcpy, similar functions and getauxval of libc. The dependency is written by hand because
# dpkg-shlibdeps would need the libc package of the target.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "libc6 (>= 2.17)")
file(WRITE ${made}/shlibs "libbzscr_rt ${PROJECT_VERSION_MAJOR} ${library} (>= ${PROJECT_VERSION})\n")
file(WRITE ${made}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${made}/shlibs ${made}/triggers)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION
"Scores feature vectors against classes without training samples, which are
described by their embeddings only. A C library without heap, exceptions
or dependencies; classes can be added, replaced and removed at run time.")

set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
if(BZSCR_STORE_SIGNATURES)
  set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS libsodium-dev)  # needed to link the store's archive
endif()
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${library} (= ${exact_version})")
set(CPACK_DEBIAN_DEV_DESCRIPTION
"The headers for C and C++, the archive, and the files for CMake and pkg-config
of a library that scores classes without training samples.")

# Not by dpkg-shlibdeps, which would need the target's own packages. The command line, fmt and JSON are compiled in.
set(CPACK_DEBIAN_STORE_PACKAGE_SECTION misc)
set(CPACK_DEBIAN_STORE_PACKAGE_DEPENDS "libc6 (>= 2.36), libgcc-s1 (>= 3.5), libsodium23 (>= 1.0.14), libstdc++6 (>= 12)")
set(CPACK_DEBIAN_STORE_DESCRIPTION
"Keeps the classes of a device in a folder through power cuts: adds, replaces,
renames and removes them, and takes packs of changes, whose signatures it
checks.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOLS_DESCRIPTION
"Programs for models of zero-shot classifiers: they describe and verify a
model, export it as a C array for devices without a file system, and make
signed packs of new classes for devices.")
include(CPack)
