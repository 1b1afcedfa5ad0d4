// Explain in words: a narrow tree that stays short however many files there are. It says only what
// the plan holds, because the reader follows the same object.
#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "fmt/format.h"
#include "plan/explain.h"

namespace esker {
namespace {

// How many of a kind the tree tells one by one before it only counts them.
constexpr size_t kFilesShown = 3;
constexpr size_t kClaimsShown = 5;
constexpr size_t kSectionsShown = 3;
constexpr size_t kGroupsShown = 8;

std::string FileName(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string Plural(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// The tree: lines of equal depth hang under the line before them.
class Tree {
 public:
  void Add(int depth, const std::string& text) {
    text_ += depth == 0 ? text : std::string(2 * depth - 2, ' ') + "- " + text;
    text_ += '\n';
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

void AddTable(const PlannedScan& scan, Tree* tree) {
  tree->Add(0, scan.table_location);
  tree->Add(1, fmt::format("format v{}, {}", scan.metadata->format_version,
                           scan.snapshot == nullptr
                               ? std::string("no snapshot: empty")
                               : fmt::format("snapshot {}", scan.snapshot->snapshot_id)));
}

const char* OriginInWords(OrderOrigin origin) {
  switch (origin) {
    case OrderOrigin::kRequest:
      return "asked for";
    case OrderOrigin::kFiles:
      return "shared by all files";
    case OrderOrigin::kTable:
      return "the table's default";
    case OrderOrigin::kNone:
      break;
  }
  return "";
}

std::string OrderInWords(const std::vector<ResolvedKey>& keys) {
  std::string text;
  for (const ResolvedKey& key : keys) {
    text += fmt::format("{}{} {} nulls {}", text.empty() ? "" : ", ", key.column,
                        key.descending ? "desc" : "asc", key.nulls_first ? "first" : "last");
  }
  return text.empty() ? "none" : text;
}

// Why there is no order: what the files claim, most common first.
void AddClaims(const PlannedScan& scan, Tree* tree) {
  std::map<std::string, int64_t> counts;
  for (const PlannedFile& file : scan.files) ++counts[file.claim_text];
  std::vector<std::pair<std::string, int64_t>> claims(counts.begin(), counts.end());
  std::stable_sort(claims.begin(), claims.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (claims.size() > kClaimsShown) claims.resize(kClaimsShown);
  for (const auto& [claim, count] : claims) {
    tree->Add(2, fmt::format("{}: claim {}", Plural(count, "file"), claim));
  }
}

// The remark of the planner with that code, if it made one.
const PlanWarning* FindWarning(const PlannedScan& scan, std::string_view code) {
  const auto found = std::find_if(scan.warnings.begin(), scan.warnings.end(),
                                  [&](const PlanWarning& warning) { return warning.code == code; });
  return found == scan.warnings.end() ? nullptr : &*found;
}

void AddNoOrder(const PlannedScan& scan, Tree* tree) {
  if (!scan.asked.empty()) {
    tree->Add(1, fmt::format("order: none, {} is given up; files are read one after another",
                             OrderInWords(scan.asked)));
    const PlanWarning* why = FindWarning(scan, kOverLimitCode);
    if (why != nullptr) tree->Add(2, why->text);
  } else if (scan.request.order == OrderFrom::kFiles) {
    tree->Add(1, "order: none, the files share none; they are read one after another");
    AddClaims(scan, tree);
  } else {
    tree->Add(1, "order: none; files are read one after another");
  }
}

void AddOrder(const PlannedScan& scan, Tree* tree) {
  if (scan.keys.empty()) return AddNoOrder(scan, tree);
  tree->Add(1, fmt::format("order: {} ({})", ToString(scan.keys), OriginInWords(scan.origin)));
  if (scan.told.size() != scan.keys.size()) {
    tree->Add(2, "told upward: " + OrderInWords(scan.told) +
                     " (a key that is not among the columns ends it)");
  }
}

void AddSplit(const PlannedScan& scan, Tree* tree) {
  if (scan.split == nullptr) return;
  const SplitSpec& split = *scan.split;
  const FileStretch& files = split.files;
  tree->Add(1, fmt::format("split {} of {}: {}", split.number + 1, split.count,
                           split.ordered ? ToString(scan.keys, split.slice)
                                         : fmt::format("files {} to {} of {}", files.begin + 1,
                                                       files.end, files.total)));
}

void AddLimit(const PlannedScan& scan, Tree* tree) {
  if (!scan.request.limit) return;
  const std::string rows = Plural(*scan.request.limit, "row");
  tree->Add(2, "at most " + rows + (*scan.request.limit == 1 ? " comes out" : " come out"));
  if (scan.beyond_limit == 0) return;
  const auto beyond = static_cast<int64_t>(scan.beyond_limit);
  tree->Add(2, fmt::format("{} beyond the first {} and {} not considered",
                           Plural(beyond, "file") + (beyond == 1 ? " lies" : " lie"), rows,
                           beyond == 1 ? "is" : "are"));
}

void AddFiles(const PlannedScan& scan, Tree* tree) {
  // Counts are not negative, but may be any lie: the sum stops at the greatest number.
  int64_t rows = 0;
  for (const PlannedFile& file : scan.files) {
    rows += std::min(file.task.file.record_count, std::numeric_limits<int64_t>::max() - rows);
  }
  const auto planned = static_cast<int64_t>(scan.files.size());
  tree->Add(1, fmt::format("{}, {}", Plural(planned, "file"), Plural(rows, "row")));
  AddLimit(scan, tree);
  const PruningCounts& pruning = scan.pruning;
  if (pruning.empty > 0) tree->Add(2, Plural(pruning.empty, "empty file") + " left out");
  if (pruning.manifests_skipped + pruning.files_by_partition + pruning.files_by_bounds > 0) {
    tree->Add(2, fmt::format("left out by the filter: {}, {} by partition, {} by bounds",
                             Plural(pruning.manifests_skipped, "manifest"),
                             Plural(pruning.files_by_partition, "file"),
                             Plural(pruning.files_by_bounds, "file")));
  }
  if (pruning.delete_files > 0) {
    tree->Add(2, Plural(pruning.delete_files, "delete file") + "; rows are counted without them");
  }
}

// Sections in which more files overlap than may be open, deepest first. Numbers are those of the
// plan, as in the JSON.
std::vector<size_t> SectionsOverLimit(const PlannedScan& scan) {
  const std::vector<Section>& sections = scan.layout.sections;
  const auto cap = static_cast<uint32_t>(scan.options.max_merge_files);
  std::vector<size_t> deep;
  for (size_t i = 0; i < sections.size(); ++i) {
    if (sections[i].depth > cap) deep.push_back(i);
  }
  std::stable_sort(deep.begin(), deep.end(),
                   [&](size_t a, size_t b) { return sections[a].depth > sections[b].depth; });
  return deep;
}

void AddPasses(const PlannedScan& scan, Tree* tree) {
  const std::vector<Section>& sections = scan.layout.sections;
  const std::vector<size_t> deep = SectionsOverLimit(scan);
  const size_t shown = std::min(deep.size(), kSectionsShown);
  for (size_t i = 0; i < shown; ++i) {
    const std::string place = sections.size() == 1 ? "" : fmt::format(" in section {}", deep[i]);
    tree->Add(2, fmt::format("{} files overlap{}, {} may be open (--max-merge-files): {} merged in "
                             "passes with spilling",
                             sections[deep[i]].depth, place, scan.options.max_merge_files,
                             sections.size() == 1 ? "they are" : "this section is"));
  }
  if (deep.size() > shown) {
    tree->Add(2, fmt::format("and {} more such, at most {} files deep",
                             Plural(static_cast<int64_t>(deep.size() - shown), "section"),
                             sections[deep[shown]].depth));
  }
  const size_t others = sections.size() - deep.size();
  if (deep.empty() || others == 0) return;
  tree->Add(2, others == 1 ? std::string("the other section streams")
                           : fmt::format("the other {} sections stream", others));
}

void AddLayout(const PlannedScan& scan, Tree* tree) {
  if (scan.keys.empty() || scan.layout.chains.empty()) return;
  const uint32_t depth = scan.layout.max_depth;
  tree->Add(
      1, fmt::format("{}, {}: {}", Plural(static_cast<int64_t>(scan.layout.chains.size()), "chain"),
                     Plural(static_cast<int64_t>(scan.layout.sections.size()), "section"),
                     depth == 1 ? std::string("no file overlaps another, nothing is merged")
                                : fmt::format("at most {} files overlap at one key", depth)));
  AddPasses(scan, tree);
}

// The order that a claim states, as far as its columns still exist.
std::string ClaimedOrder(const Claim& claim, const Schema& schema) {
  SortKeys keys;
  for (const SortField& field : claim.fields) {
    const int32_t id = field.source_ids.size() == 1 ? field.source_ids[0] : 0;
    const std::string name = schema.NameOf(id);
    if (name.empty()) break;
    keys.push_back({id, Type{}, field.descending, field.nulls_first, field.transform, name});
  }
  std::string text = ToString(keys);
  if (keys.size() == claim.fields.size()) return text;
  const bool dropped = claim.fields[keys.size()].source_ids.size() == 1;
  return text + (text.empty() ? "" : ", ") +
         (dropped ? "a column that is gone" : "a transform of several columns");
}

// Files that meet the order in the same way for the same reason.
struct ReadGroup {
  std::vector<const PlannedFile*> files;
  std::string claimed;  // ClaimedOrder()

  const PlannedFile& front() const { return *files.front(); }
  bool is_one() const { return files.size() == 1; }
};

std::vector<ReadGroup> GroupReads(const PlannedScan& scan) {
  using Kind = std::tuple<HowToRead, bool, size_t, bool, std::string, std::string, std::string>;
  std::map<Kind, ReadGroup> kinds;
  for (const PlannedFile& file : scan.within_limit()) {
    const ClaimMatch& match = file.match;
    std::string claimed = ClaimedOrder(file.claim, *scan.rows->schema);
    ReadGroup& group = kinds[{match.how, match.reversed, match.satisfied, match.by_constant,
                              file.claim_text, claimed, match.reason}];
    group.files.push_back(&file);
    group.claimed = std::move(claimed);
  }
  std::vector<ReadGroup> groups;
  for (auto& [kind, group] : kinds) groups.push_back(std::move(group));
  std::stable_sort(groups.begin(), groups.end(), [](const ReadGroup& a, const ReadGroup& b) {
    if (a.front().match.how != b.front().match.how) {
      return a.front().match.how < b.front().match.how;
    }
    return a.files.size() > b.files.size();
  });
  return groups;
}

std::string PrefixInWords(const PlannedScan& scan, size_t satisfied) {
  std::string names;
  for (size_t i = 0; i < satisfied; ++i) names += (i == 0 ? "" : ", ") + scan.keys[i].name;
  return satisfied == 1 ? names : "(" + names + ")";
}

// "are read backwards", of one file or several.
std::string Action(const PlannedScan& scan, const ReadGroup& group) {
  const std::string be = group.is_one() ? "is" : "are";
  const std::string it = group.is_one() ? "it" : "they";
  const ClaimMatch& match = group.front().match;
  switch (match.how) {
    case HowToRead::kAsItIs:
      return be + " read as " + it + " " + be;
    case HowToRead::kReversed:
      return be + " read backwards";
    case HowToRead::kPrefixSort:
      return be + (match.reversed ? " read backwards and" : "") + " sorted within equal " +
             PrefixInWords(scan, match.satisfied);
    case HowToRead::kSort:
      break;
  }
  return be + " sorted on " + (group.is_one() ? "its" : "their") + " own when the merge reaches " +
         (group.is_one() ? "it" : "them") + ", in memory or spilled";
}

// A claim of other words may serve as well: nulls first where there are no nulls, (day(ts), ts) for
// ts, (country, ts) for ts in files of one country.
std::string WhyAsItIs(const PlannedScan& scan, const ReadGroup& group,
                      const std::string& claims_what) {
  const PlannedFile& file = group.front();
  if (file.claim.source == ClaimSource::kSingleRow) {
    return group.is_one() ? "it holds one row" : "they hold one row each";
  }
  if (file.match.by_constant) {
    return std::string(group.is_one() ? "its" : "their") + " keys are the same in every row";
  }
  if (group.claimed.starts_with(ToString(scan.keys))) return claims_what;
  return claims_what + ", which comes to the same in " + (group.is_one() ? "it" : "them");
}

std::string Why(const PlannedScan& scan, const ReadGroup& group) {
  const PlannedFile& file = group.front();
  const std::string claims = group.is_one() ? "it claims " : "they claim ";
  if (file.claim.source == ClaimSource::kNone && file.match.how == HowToRead::kSort) {
    // "none (no sort order id)" without the first word.
    return claims + "no order" + file.claim_text.substr(std::string_view("none").size());
  }
  const std::string what = claims + group.claimed + " (" + file.claim_text + ")";
  switch (file.match.how) {
    case HowToRead::kAsItIs:
      return WhyAsItIs(scan, group, what);
    case HowToRead::kReversed:
      return what + ", and " + ToString(scan.keys) +
             (scan.origin == OrderOrigin::kRequest ? " was " : " is ") + OriginInWords(scan.origin);
    case HowToRead::kPrefixSort:
    case HowToRead::kSort:
      break;
  }
  return what + "; " + file.match.reason;
}

void AddNames(const ReadGroup& group, Tree* tree) {
  const size_t shown = std::min(group.files.size(), kFilesShown);
  for (size_t i = 0; i < shown; ++i) tree->Add(2, FileName(group.files[i]->task.file.path));
  if (group.files.size() == shown) return;
  tree->Add(2, fmt::format("and {} more", group.files.size() - shown));
}

void AddReads(const PlannedScan& scan, Tree* tree) {
  if (scan.keys.empty()) return;
  const std::vector<ReadGroup> groups = GroupReads(scan);
  const size_t shown = std::min(groups.size(), kGroupsShown);
  for (size_t i = 0; i < shown; ++i) {
    const ReadGroup& group = groups[i];
    const std::string who = group.is_one() ? FileName(group.front().task.file.path)
                                           : fmt::format("{} files", group.files.size());
    tree->Add(1, who + " " + Action(scan, group) + ": " + Why(scan, group));
    if (!group.is_one() && group.front().match.how != HowToRead::kAsItIs) AddNames(group, tree);
  }
  size_t rest = 0;
  for (size_t i = shown; i < groups.size(); ++i) rest += groups[i].files.size();
  if (rest > 0) {
    tree->Add(1, fmt::format("{} more, in {} (--json has them all)",
                             Plural(static_cast<int64_t>(rest), "file"),
                             Plural(static_cast<int64_t>(groups.size() - shown), "group")));
  }
}

// What is sorted anyway has no claim to check.
void AddCheck(const PlannedScan& scan, Tree* tree) {
  const auto files = scan.within_limit();
  const bool claims = std::any_of(files.begin(), files.end(), [](const PlannedFile& file) {
    return file.match.how != HowToRead::kSort;
  });
  if (scan.keys.empty() || !claims) return;
  tree->Add(1, scan.options.on_disorder == OnDisorder::kError
                   ? "every claim is checked while reading; a file that breaks it stops the scan "
                     "(exit 3)"
                   : "every claim is checked before the first row of its file goes out; a file "
                     "that breaks it is sorted");
}

// What the order and the layout tell in their own place is not told twice.
void AddWarnings(const PlannedScan& scan, Tree* tree) {
  for (const PlanWarning& warning : scan.warnings) {
    if (warning.code != kOverLimitCode) tree->Add(1, "warning: " + warning.text);
  }
}

}  // namespace

std::string ExplainText(const PlannedScan& scan) {
  Tree tree;
  AddTable(scan, &tree);
  AddOrder(scan, &tree);
  AddSplit(scan, &tree);
  AddFiles(scan, &tree);
  AddLayout(scan, &tree);
  AddReads(scan, &tree);
  AddCheck(scan, &tree);
  if (scan.rows->filter) tree.Add(1, "rows are tested for: " + scan.rows->filter->ToString());
  AddWarnings(scan, &tree);
  return tree.Take();
}

}  // namespace esker
