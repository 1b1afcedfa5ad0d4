// CheckLayout(): the promises of chain.h, looked at one by one with the plain comparison.
#include <algorithm>
#include <string>

#include "order/chain.h"

namespace esker {
namespace {

using arrow::Status;

struct Files {
  std::span<const SortKey> keys;
  std::span<const KeyRange> ranges;

  std::string Describe(uint32_t file) const {
    return "file " + std::to_string(file) + " " + ToString(keys, ranges[file].lower) + " to " +
           ToString(keys, ranges[file].upper);
  }
  bool MayFollow(uint32_t file, uint32_t before) const {
    return CompareCorners(keys, ranges[before].upper, ranges[file].lower) <= 0;
  }
  bool Precedes(uint32_t a, uint32_t b) const {
    auto order = CompareCorners(keys, ranges[a].lower, ranges[b].lower);
    if (order == 0) order = CompareCorners(keys, ranges[a].upper, ranges[b].upper);
    return order != 0 ? order < 0 : a < b;
  }
};

// Counts a file; Invalid if there is no such file or it was there before.
Status See(uint32_t file, const char* where, std::vector<char>* seen) {
  if (file >= seen->size()) return Status::Invalid("no file ", file, ", in ", where);
  if ((*seen)[file]) return Status::Invalid("file ", file, " is twice in ", where);
  (*seen)[file] = 1;
  return Status::OK();
}

Status CheckReadingOrder(const Files& files, const Layout& layout) {
  const auto& order = layout.reading_order;
  if (order.size() != files.ranges.size()) {
    return Status::Invalid("reading order has ", order.size(), " of ", files.ranges.size(),
                           " files");
  }
  std::vector<char> seen(files.ranges.size());
  for (size_t i = 0; i < order.size(); ++i) {
    ARROW_RETURN_NOT_OK(See(order[i], "reading order", &seen));
    if (i > 0 && !files.Precedes(order[i - 1], order[i])) {
      return Status::Invalid("reading order: ", files.Describe(order[i]), " after ",
                             files.Describe(order[i - 1]));
    }
  }
  return Status::OK();
}

Status CheckChain(const Files& files, const Layout& layout, uint32_t number,
                  std::vector<char>* seen) {
  const Chain& chain = layout.chains[number];
  if (chain.empty()) return Status::Invalid("chain ", number, " is empty");
  for (size_t i = 0; i < chain.size(); ++i) {
    ARROW_RETURN_NOT_OK(See(chain[i], "chains", seen));
    if (layout.chain_of[chain[i]] != number) {
      return Status::Invalid("file ", chain[i], " is in chain ", number, ", not in ",
                             layout.chain_of[chain[i]]);
    }
    if (i > 0 && !files.MayFollow(chain[i], chain[i - 1])) {
      return Status::Invalid("chain ", number, ": ", files.Describe(chain[i]), " cannot follow ",
                             files.Describe(chain[i - 1]));
    }
  }
  return Status::OK();
}

Status CheckChains(const Files& files, const Layout& layout) {
  std::vector<char> seen(files.ranges.size());
  for (uint32_t i = 0; i < layout.chains.size(); ++i) {
    ARROW_RETURN_NOT_OK(CheckChain(files, layout, i, &seen));
    if (i > 0 && !files.Precedes(layout.chains[i - 1][0], layout.chains[i][0])) {
      return Status::Invalid("chain ", i, " begins before chain ", i - 1);
    }
  }
  const auto missing = std::find(seen.begin(), seen.end(), 0);
  if (missing != seen.end()) {
    return Status::Invalid("file ", missing - seen.begin(), " is in no chain");
  }
  return Status::OK();
}

Status CheckSection(const Layout& layout, uint32_t number) {
  const Section& section = layout.sections[number];
  const uint32_t begin = number == 0 ? 0 : layout.sections[number - 1].end;
  if (section.begin != begin || section.end <= begin || section.end > layout.reading_order.size()) {
    return Status::Invalid("section ", number, " is [", section.begin, ", ", section.end, ")");
  }
  for (uint32_t i = section.begin; i < section.end; ++i) {
    const uint32_t file = layout.reading_order[i];
    if (layout.section_of[file] != number) {
      return Status::Invalid("file ", file, " is in section ", number, ", not in ",
                             layout.section_of[file]);
    }
  }
  return Status::OK();
}

// Sections must lie strictly apart: every upper corner before the next section's first lower one.
Status CheckSections(const Files& files, const Layout& layout) {
  uint32_t depth = 0;
  for (uint32_t i = 0; i < layout.sections.size(); ++i) {
    ARROW_RETURN_NOT_OK(CheckSection(layout, i));
    const Section& section = layout.sections[i];
    depth = std::max(depth, section.depth);
    if (section.end == layout.reading_order.size()) break;
    const uint32_t next = layout.reading_order[section.end];
    for (uint32_t j = section.begin; j < section.end; ++j) {
      const uint32_t file = layout.reading_order[j];
      if (CompareCorners(files.keys, files.ranges[file].upper, files.ranges[next].lower) >= 0) {
        return Status::Invalid("section ", i, ": ", files.Describe(file), " reaches ",
                               files.Describe(next), " of the next section");
      }
    }
  }
  if (depth != layout.max_depth || depth != layout.chains.size()) {
    return Status::Invalid("depth ", depth, ", ", layout.chains.size(), " chains, max_depth ",
                           layout.max_depth);
  }
  return Status::OK();
}

}  // namespace

arrow::Status CheckLayout(std::span<const SortKey> keys, std::span<const KeyRange> files,
                          const Layout& layout) {
  const Files all = {keys, files};
  if (layout.chain_of.size() != files.size() || layout.section_of.size() != files.size()) {
    return Status::Invalid("chain and section are known of ", layout.chain_of.size(), " and ",
                           layout.section_of.size(), " of ", files.size(), " files");
  }
  ARROW_RETURN_NOT_OK(CheckReadingOrder(all, layout));
  ARROW_RETURN_NOT_OK(CheckChains(all, layout));
  const uint32_t sectioned = layout.sections.empty() ? 0 : layout.sections.back().end;
  if (sectioned != files.size()) {
    return Status::Invalid("sections hold ", sectioned, " of ", files.size(), " files");
  }
  return CheckSections(all, layout);
}

}  // namespace esker
