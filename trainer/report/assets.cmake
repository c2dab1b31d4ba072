# Writes OUTPUT: C++ that defines a constant with the content of the file for each of TEXTS (NAME=FILE,...).
string(REPLACE "," ";" texts "${TEXTS}")
set(source "#include \"report/assets.h\"\n\nnamespace bzscr::report {\n")
foreach(text IN LISTS texts)
  string(REGEX MATCH "^([^=]+)=(.+)$" unused "${text}")
  file(READ "${CMAKE_MATCH_2}" content)
  # The content must not end the script element.
  string(REPLACE "</script" "<\\/script" content "${content}")
  string(APPEND source "const char* const ${CMAKE_MATCH_1} = R\"asset(${content})asset\";\n")
endforeach()
file(WRITE "${OUTPUT}" "${source}}  // namespace bzscr::report\n")
