// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/resume.h"

#include <algorithm>
#include <stdexcept>

namespace micro
{

namespace
{

using het::json;

// Lists that grow with each test.
constexpr const char *lists[] = {"results", "facts", "refused", "warnings", "examples"};

// The clock is looked at before, between and after the tests of one run.
bool is_of_one_run(const json &entry)
{
	const json &name = entry["name"];
	return name.is_string() &&
	       (name.get<std::string>().starts_with("reference/") || name.get<std::string>().ends_with("clock.change"));
}

void expect_like(const json &document, const json &earlier, const char *part)
{
	if (document[part] != earlier[part])
		throw std::runtime_error(std::string("the run to continue has another ") + part + ": " +
					 earlier[part].dump() + ", and not " + document[part].dump() +
					 "; start one without --continue");
}

} // namespace

void note_finished(json &document, const std::string &test)
{
	json entry = {{"name", test}};
	for (const char *list : lists)
		entry[list] = document.contains(list) ? document[list].size() : size_t{0};
	document["finished"].push_back(std::move(entry));
}

std::vector<std::string> take_finished(json &document, const json &earlier)
{
	for (const char *part : {"program", "commit", "settings", "device"})
		expect_like(document, earlier, part);
	std::vector<std::string> names;
	if (!earlier.contains("finished") || earlier["finished"].empty())
		return names;
	const json *last = nullptr;
	for (const json &test : earlier["finished"]) {
		names.push_back(test.at("name").get<std::string>());
		last = &test;
	}
	for (const char *list : lists) {
		size_t left = earlier.contains(list) ? last->at(list).get<size_t>() : 0;
		if (left == 0)
			continue;
		for (const json &entry : earlier[list]) {
			if (left-- == 0)
				break;
			if (!is_of_one_run(entry))
				document[list].push_back(entry);
		}
	}
	for (const std::string &name : names)
		note_finished(document, name);
	return names;
}

} // namespace micro
