# Called by cpack: gives each package its field Multi-Arch. Libraries and headers lie in folders of their architecture and
# may be installed for several; programs are used by packages of any.
foreach(package ${CPACK_PACKAGE_FILES})
  get_filename_component(name "${package}" NAME)
  if(name MATCHES "^libbzscr-rt")
    set(value same)
  else()
    set(value foreign)
  endif()
  set(folder "${package}.contents")
  execute_process(COMMAND dpkg-deb --raw-extract "${package}" "${folder}" COMMAND_ERROR_IS_FATAL ANY)
  file(READ "${folder}/DEBIAN/control" control)
  string(REPLACE "\nPackage:" "\nMulti-Arch: ${value}\nPackage:" control "${control}")
  file(WRITE "${folder}/DEBIAN/control" "${control}")
  execute_process(COMMAND dpkg-deb --root-owner-group --build "${folder}" "${package}"
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE "${folder}")
endforeach()
