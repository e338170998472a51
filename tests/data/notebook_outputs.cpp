// ---
// jupyter:
//   kernelspec:
//     name: xcpp20
// ---

// %% [markdown]
// # Outputs of every kind
//
// With a formula, $\frac{1}{2}$, and `code`.

// %% tags=["global"]
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "notebooks-cpp/tool/notebook.hpp"

using namespace tapalab::notebook;

std::string fault() {
  const char* name = std::getenv("NOTEBOOK_FAULT");
  return name == nullptr ? "" : name;
}

// %% Printed
int counter = 1;
std::printf("printed %d\n", counter);
std::cout << "streamed <&> ``` \xff\n";

// %% Displayed
++counter;
std::printf("before\n");
display_svg("<?xml version=\"1.0\"?>\n<svg id='a'><use href='#a'/>\n</svg>\n");
std::cout << "between";
display_html("<em>shown</em>");
display_markdown("Two is **" + std::to_string(counter) + "**, $x^2$.");
display_table({"name", "value"}, {{"a < b", "1"}});

// %%
if (fault() == "throw") throw std::runtime_error("thrown on purpose");
if (fault() == "int") throw 7;
if (fault() == "exit") std::exit(0);
if (fault() == "abort") std::abort();
std::printf("after %d", counter);
require(fault() != "require", "one is two");

// %%
std::printf("the end\n");
