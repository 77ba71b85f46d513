// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Results are a JSON document. Every program writes the same shape, so that compare can read them all: { program, time,
// commit, machine, settings, results: [{name, unit, n, median, ...}],
//   ratios: [{name, median, low, high, ...}], differences: [{name, unit, median, ...}], notes: [...] }
#pragma once

#include "common/stats.h"
#include "json/json.h"

#include <string>

namespace bench
{

using het::json;

json to_json(const summary &s);
json to_json(const ratio &r);

class report
{
      public:
	report(const std::string &program, json settings);

	// Names are paths like "touch/uffd/opencl0/4096/live64", which compare matches.
	void result(const std::string &name, const std::string &unit, const summary &s, json more = {});
	void value(const std::string &name, const std::string &unit, double v, json more = {});
	void ratio_of(const std::string &name, const ratio &r, json more = {});
	// Adds the difference between one name and the other, in @unit.
	void difference_of(const std::string &name, const std::string &unit, const ratio &d, json more = {});
	void note(const std::string &text);
	json &document() { return doc_; }

	// Writes the document and says where, but does nothing for an empty path. It makes the folder.
	void write(const std::string &path) const;

      private:
	json doc_;
};

} // namespace bench
