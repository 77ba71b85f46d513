// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/page.h"

#include "common/format.h"
#include "common/plot.h"
#include "micro/page_plot.h"
#include "micro/shown.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace micro
{

namespace
{

using bench::format;
using bench::short_number;
using het::json;

// On a narrow screen the rows of a table become blocks, each cell with its label.
constexpr char style[] = R"(
body { font: 16px/1.5 sans-serif; color: #111; background: #fff; max-width: 1200px; margin: 0 auto; padding: 0 16px }
h1 { font-size: 1.6em } h2 { font-size: 1.25em; margin-top: 1.6em }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: 4px 10px 4px 0; border-bottom: 1px solid #bbb; vertical-align: top }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)); gap: 24px }
figure { margin: 0; break-inside: avoid } figure img { width: 100%; height: auto }
figcaption { font-weight: bold } dt { font-weight: bold } dd { margin: 0 0 8px 0; overflow-wrap: anywhere }
@media (max-width: 700px) {
thead { display: none } tr { display: block; margin-bottom: 12px; border-bottom: 2px solid #555 }
td { display: block; border: 0; padding: 0 } td[data-is]:not(:empty)::before { content: attr(data-is) ": "; color: #444 }
}
@media print { body { max-width: none; font-size: 11pt } h2 { break-after: avoid } tr { break-inside: avoid } }
)";

std::string text_of(const json &value)
{
	return value.is_null() ? "" : value.is_string() ? value.get<std::string>() : value.dump();
}

std::string amount(double value, const std::string &unit)
{
	return unit == "bytes" && value >= 1024 ? bench::amount_text(uint64_t(value))
						: short_number(value) + " " + unit;
}

std::string cell(const char *label, const std::string &text)
{
	return format("<td data-is=\"%s\">", label) + escaped(text) + "</td>";
}

std::string facts_html(const json &document)
{
	std::string out = "<h2>What was found</h2>\n<table><thead><tr><th>fact</th><th>value</th><th>95 % interval</th>"
			  "<th>confidence</th><th>the device says</th><th>why</th></tr></thead><tbody>\n";
	for (const json &f : document["facts"]) {
		const std::string unit = text_of(f.at("unit"));
		const bool found = f.contains("value");
		const json &claim = f["claim"];
		out += "<tr>" + cell("fact", text_of(f.at("name"))) +
		       cell("value", found ? amount(f["value"].get<double>(), unit) : text_of(f.at("verdict"))) +
		       cell("interval", found ? amount(f["low"].get<double>(), unit) + " to " +
							amount(f["high"].get<double>(), unit)
					      : "") +
		       cell("confidence", found ? format("%.2f", f["confidence"].get<double>()) : "") +
		       cell("the device says", claim.is_number() ? amount(claim.get<double>(), unit) : text_of(claim)) +
		       cell("why", text_of(f.at("why"))) + "</tr>\n";
	}
	return out + "</tbody></table>\n";
}

std::string together_html(const char *title, const json &all)
{
	if (all.empty())
		return "";
	std::string out = std::string("<h2>") + title +
			  "</h2>\n<table><thead><tr><th>what</th><th>reason</th><th>cure</th></tr></thead>"
			  "<tbody>\n";
	for (const json &r : all)
		out += "<tr>" + cell("what", text_of(r.at("name"))) + cell("reason", text_of(r.at("reason"))) +
		       cell("cure", text_of(r.at("cure"))) + "</tr>\n";
	return out + "</tbody></table>\n";
}

std::string head_html(const json &document)
{
	const json &machine = document.at("machine");
	std::string out = "<h1>" + escaped(text_of(document["device"]["title"])) + "</h1>\n<dl>";
	const auto line = [&](const char *what, const std::string &text) {
		if (!text.empty())
			out += format("<dt>%s</dt><dd>", what) + escaped(text) + "</dd>\n";
	};
	line("measured",
	     text_of(document.at("time")) + (document["settings"]["quick"] == json(true) ? ", quickly" : ""));
	line("driver", text_of(document["device"]["version"]));
	line("machine", text_of(machine["cpu"]) + ", " + text_of(machine["cores"]) + " cores, Linux " +
				text_of(machine["kernel"]) + ", load " + text_of(machine["load_average"]));
	line("commit", text_of(document.at("commit")));
	return out + "</dl>\n";
}

std::string contents_of(const std::string &path)
{
	std::ifstream f(path, std::ios::binary);
	return {std::istreambuf_iterator<char>(f), {}};
}

// A plot that gnuplot could not make is said to be missing.
std::string plots_html(const json &document, const std::string &folder)
{
	std::string out = "<h2>Figures</h2>\n<div class=\"plots\">\n";
	for (const shown &s : all_shown()) {
		const shown_curves curves = curves_of(document, s.prefix);
		if (curves.curves.empty())
			continue;
		std::string base = s.prefix;
		std::replace(base.begin(), base.end(), '/', '-');
		base = folder + "/" + base;
		out += std::string("<figure><figcaption>") + s.title + "</figcaption>";
		if (bench::plot(base, script_of(s, curves), 560, 380))
			out += "<img alt=\"" + std::string(s.title) + " against " + s.x +
			       "\" src=\"data:image/svg+xml;base64," + base64(contents_of(base + ".svg")) + "\">";
		else
			out += "no plot: gnuplot did not make it";
		out += "</figure>\n";
	}
	return out + "</div>\n";
}

} // namespace

std::string escaped(const std::string &text)
{
	std::string out;
	for (char c : text)
		out += c == '<'   ? "&lt;"
		       : c == '>' ? "&gt;"
		       : c == '&' ? "&amp;"
		       : c == '"' ? "&quot;"
				  : std::string(1, c);
	return out;
}

std::string base64(const std::string &bytes)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	std::string out;
	for (size_t i = 0; i < bytes.size(); i += 3) {
		uint32_t three = 0;
		const size_t there = std::min<size_t>(3, bytes.size() - i);
		for (size_t k = 0; k < 3; k++)
			three = three << 8 | (k < there ? uint8_t(bytes[i + k]) : 0);
		for (size_t k = 0; k < 4; k++)
			out += k <= there ? digits[three >> (18 - 6 * k) & 63] : '=';
	}
	return out;
}

void write_page(const json &document, const std::string &folder)
{
	std::filesystem::create_directories(folder);
	const std::string path = folder + "/index.html", title = escaped(text_of(document["device"]["title"]));
	std::ofstream f(path);
	f << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
	  << "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>het-bench: " << title
	  << "</title><style>" << style << "</style></head><body>\n"
	  << head_html(document) << facts_html(document) << plots_html(document, folder)
	  << together_html("No figure", document["refused"]) << together_html("To be doubted", document["warnings"])
	  << "</body></html>\n";
	f.close();
	if (!f)
		throw std::runtime_error("can't write " + path + ": --report needs a folder of yours that has room");
	printf("page: %s\n", path.c_str());
}

} // namespace micro
