# Writes OUTPUT, C++ that defines a constant for each of TEXTS (NAME=FILE,...) with what is in the file.
string(REPLACE "," ";" texts "${TEXTS}")
set(source "#include \"report/assets.h\"\n\nnamespace bzscr::report {\n")
foreach(text IN LISTS texts)
  string(REGEX MATCH "^([^=]+)=(.+)$" unused "${text}")
  file(READ "${CMAKE_MATCH_2}" content)
  # Nothing in a script may end it.
  string(REPLACE "</script" "<\\/script" content "${content}")
  string(APPEND source "const char* const ${CMAKE_MATCH_1} = R\"asset(${content})asset\";\n")
endforeach()
file(WRITE "${OUTPUT}" "${source}}  // namespace bzscr::report\n")
