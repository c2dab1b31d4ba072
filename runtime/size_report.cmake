# Prints how many bytes of libbzscr_rt a minimal program links, as the linker's map lists them.
#   cmake -DMAP=program.map -DPROGRAM=stripped-program [-DBUDGET=bytes] -P size_report.cmake
# Fails if the code exceeds the budget.
file(READ ${MAP} map)

# Lines of the map: " .text.name  0xaddress  0xsize  archive(member)"; a long name is on a line of its own.
# Discarded sections are listed too, at address 0.
function(kept_bytes result section)
  string(REGEX MATCHALL
    "\n \\.${section}[^ \n]*[ \n]+0x0*[1-9a-f][0-9a-f]* +0x[0-9a-f]+ [^\n]*libbzscr_rt_small\\.a\\(" lines "${map}")
  set(sum 0)
  foreach(line IN LISTS lines)
    string(REGEX REPLACE ".* (0x[0-9a-f]+) [^ ]*$" "\\1" bytes "${line}")
    math(EXPR sum "${sum} + ${bytes}")
  endforeach()
  set(${result} ${sum} PARENT_SCOPE)
endfunction()

kept_bytes(text text)
kept_bytes(constants rodata)
kept_bytes(relocated data)
file(SIZE ${PROGRAM} stripped)
message("libbzscr_rt in a minimal scorer: ${text} bytes of code, ${constants} of constants, ${relocated} of data")
message("the stripped program, with the C start-up code: ${stripped} bytes")
if(text EQUAL 0)
  message(FATAL_ERROR "${MAP} names no code of libbzscr_rt_small")
elseif(BUDGET AND text GREATER BUDGET)
  message(FATAL_ERROR "the code exceeds its budget of ${BUDGET} bytes")
endif()
