#include "order/chain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include "testing/order_notation.h"
#include "testing/seed.h"

namespace esker {
namespace {

using testing::Case;
using testing::Chance;
using testing::Draw;
using Kind = HalfRank::Kind;

// ---- cases as text ----

struct NamedFiles {
  SortKeys keys;
  std::vector<std::string> names;
  std::vector<KeyRange> ranges;
};

NamedFiles FilesOf(const Case& test) {
  NamedFiles files;
  const Schema schema = testing::ParseColumns(test.Find("columns"));
  files.keys = testing::ParseKeys(test.Find("keys"), schema);
  for (const auto& [word, text] : test.entries) {
    if (!word.starts_with("file ")) continue;
    const auto facts = testing::ParseFacts(text, schema, /*record_count=*/10);
    std::vector<ColumnFacts> of_keys;
    for (const SortKey& key : files.keys) of_keys.push_back(facts.at(key.field_id));
    files.names.push_back(word.substr(5));
    files.ranges.push_back(MakeKeyRange(files.keys, of_keys));
  }
  return files;
}

std::string NamesOf(const NamedFiles& files, std::span<const uint32_t> positions) {
  std::string text;
  for (const uint32_t position : positions) {
    text += (text.empty() ? "" : " ") + files.names[position];
  }
  return text;
}

std::string ChainsOf(const NamedFiles& files, const Layout& layout) {
  std::string text;
  for (const Chain& chain : layout.chains) {
    text += (text.empty() ? "" : " | ") + NamesOf(files, chain);
  }
  return text;
}

std::string SectionsOf(const NamedFiles& files, const Layout& layout) {
  std::string text;
  for (const Section& section : layout.sections) {
    const std::span<const uint32_t> order = layout.reading_order;
    text += (text.empty() ? "" : " | ") +
            NamesOf(files, order.subspan(section.begin, section.end - section.begin)) + " (" +
            std::to_string(section.depth) + ")";
  }
  return text;
}

TEST(ChainTest, Cases) {
  const auto cases = testing::ReadCases("layout.txt");
  ASSERT_GE(cases.size(), 30u);
  for (const Case& test : cases) {
    SCOPED_TRACE(test.place + ": " + test.name);
    const NamedFiles files = FilesOf(test);
    const Layout layout = MakeLayout(files.keys, files.ranges);
    EXPECT_EQ(ChainsOf(files, layout), test.Find("chains"));
    EXPECT_EQ(SectionsOf(files, layout), test.Find("sections"));
    EXPECT_EQ(layout.max_depth, testing::Split(test.Find("chains"), "|").size());
    const auto status = CheckLayout(files.keys, files.ranges, layout);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
}

// ---- the least number of chains, found the slow way ----

SortKey IntKey() {
  SortKey key;
  key.type = ParsePrimitiveType("long").ValueOrDie();
  return key;
}

KeyRange IntRange(int64_t lower, int64_t upper) {
  return {{{Kind::kValue, lower}}, {{Kind::kValue, upper}}};
}

bool MayFollow(std::span<const SortKey> keys, const KeyRange& before, const KeyRange& after) {
  return CompareCorners(keys, before.upper, after.lower) <= 0;
}

// Can these files be read one after the other in any order at all?
bool IsChainable(std::span<const SortKey> keys, std::span<const KeyRange> files,
                 std::vector<uint32_t> group) {
  std::sort(group.begin(), group.end());
  do {
    bool follows = true;
    for (size_t i = 1; i < group.size(); ++i) {
      follows = follows && MayFollow(keys, files[group[i - 1]], files[group[i]]);
    }
    if (follows) return true;
  } while (std::next_permutation(group.begin(), group.end()));
  return false;
}

// Tries every way to put the files into groups.
size_t LeastChainsBySearch(std::span<const SortKey> keys, std::span<const KeyRange> files) {
  size_t least = files.size();
  std::vector<std::vector<uint32_t>> groups;
  const std::function<void(uint32_t)> place = [&](uint32_t file) {
    if (file == files.size()) {
      const bool all = std::all_of(groups.begin(), groups.end(), [&](const auto& group) {
        return IsChainable(keys, files, group);
      });
      if (all) least = std::min(least, groups.size());
      return;
    }
    for (size_t i = 0; i < groups.size(); ++i) {
      groups[i].push_back(file);
      place(file + 1);
      groups[i].pop_back();
    }
    groups.push_back({file});
    place(file + 1);
    groups.pop_back();
  };
  place(0);
  return least;
}

// Dilworth: files less the greatest matching of files with their successors. Equal points may
// follow each other both ways; by position they follow one way, or a cycle could match.
class Matching {
 public:
  Matching(std::span<const SortKey> keys, std::span<const KeyRange> files)
      : keys_(keys), files_(files), before_(files.size(), -1) {}

  size_t LeastChains() {
    size_t matched = 0;
    for (size_t i = 0; i < files_.size(); ++i) {
      std::vector<char> tried(files_.size());
      if (Augment(i, &tried)) ++matched;
    }
    return files_.size() - matched;
  }

 private:
  bool HasSuccessor(size_t a, size_t b) const {
    if (a == b || !MayFollow(keys_, files_[a], files_[b])) return false;
    return a < b || !MayFollow(keys_, files_[b], files_[a]);
  }
  bool Augment(size_t a, std::vector<char>* tried) {
    for (size_t b = 0; b < files_.size(); ++b) {
      if ((*tried)[b] || !HasSuccessor(a, b)) continue;
      (*tried)[b] = 1;
      if (before_[b] < 0 || Augment(static_cast<size_t>(before_[b]), tried)) {
        before_[b] = static_cast<int>(a);
        return true;
      }
    }
    return false;
  }

  std::span<const SortKey> keys_;
  std::span<const KeyRange> files_;
  std::vector<int> before_;
};

size_t LeastChains(std::span<const SortKey> keys, std::span<const KeyRange> files) {
  return Matching(keys, files).LeastChains();
}

TEST(ChainTest, LeastChainsOfEverySmallInput) {
  std::vector<KeyRange> ranges;
  for (int64_t lower = 0; lower < 4; ++lower) {
    for (int64_t upper = lower; upper < 4; ++upper) ranges.push_back(IntRange(lower, upper));
  }
  const SortKeys keys = {IntKey()};
  size_t inputs = 0;
  std::vector<KeyRange> files;
  const std::function<void()> walk = [&] {
    ++inputs;
    const Layout layout = MakeLayout(keys, files);
    const auto status = CheckLayout(keys, files, layout);
    ASSERT_TRUE(status.ok()) << status.ToString();
    ASSERT_EQ(layout.chains.size(), LeastChainsBySearch(keys, files));
    ASSERT_EQ(layout.chains.size(), LeastChains(keys, files));
    if (files.size() == 4) return;
    for (const KeyRange& range : ranges) {
      files.push_back(range);
      walk();
      files.pop_back();
    }
  };
  walk();
  EXPECT_EQ(inputs, 11111u);
}

// ---- random files ----

SortKeys DrawKeys(std::mt19937_64& random) {
  SortKeys keys(Draw(random, 1, 2), IntKey());
  for (SortKey& key : keys) {
    key.descending = Chance(random, 50);
    key.nulls_first = Chance(random, 50);
  }
  return keys;
}

HalfRank DrawRank(std::mt19937_64& random, const SortKey& key, int64_t most, int open_percent) {
  if (Chance(random, open_percent)) {
    switch (Draw(random, 0, 2)) {
      case 0:
        return {Kind::kBeforeValues, Value{}};
      case 1:
        return {Kind::kAfterValues, Value{}};
      default:
        return {key.nulls_first ? Kind::kNullFirst : Kind::kNullLast, Value{}};
    }
  }
  return {Kind::kValue, Draw(random, 0, most)};
}

// Few or many distinct values, short or long ranges, none or many open ends.
std::vector<KeyRange> DrawFiles(std::mt19937_64& random, const SortKeys& keys) {
  static constexpr int64_t kMost[] = {1, 3, 10, 100};
  const int64_t most = kMost[Draw(random, 0, 3)];
  const int open_percent = Chance(random, 50) ? 0 : static_cast<int>(Draw(random, 1, 60));
  const int point_percent = Chance(random, 50) ? 0 : static_cast<int>(Draw(random, 1, 90));
  std::vector<KeyRange> files(Draw(random, 0, 40));
  for (KeyRange& file : files) {
    for (const SortKey& key : keys) {
      file.lower.push_back(DrawRank(random, key, most, open_percent));
      file.upper.push_back(DrawRank(random, key, most, open_percent));
    }
    if (Chance(random, point_percent)) file.upper = file.lower;
    if (CompareCorners(keys, file.lower, file.upper) > 0) std::swap(file.lower, file.upper);
  }
  return files;
}

TEST(ChainTest, LeastChainsOfRandomFiles) {
  auto random = testing::MakeRandom(1);
  for (int round = 0; round < 4000; ++round) {
    const SortKeys keys = DrawKeys(random);
    const auto files = DrawFiles(random, keys);
    const Layout layout = MakeLayout(keys, files);
    const auto status = CheckLayout(keys, files, layout);
    ASSERT_TRUE(status.ok()) << status.ToString();
    ASSERT_EQ(layout.chains.size(), LeastChains(keys, files));
    ASSERT_EQ(layout.max_depth, layout.chains.size());
  }
}

// A section has the depth that its files have alone, and closes only at a gap.
TEST(ChainTest, SectionsOfRandomFiles) {
  auto random = testing::MakeRandom(2);
  for (int round = 0; round < 2000; ++round) {
    const SortKeys keys = DrawKeys(random);
    const auto files = DrawFiles(random, keys);
    const Layout layout = MakeLayout(keys, files);
    std::vector<KeyRange> section;
    size_t number = 0;
    for (size_t i = 0; i <= files.size(); ++i) {
      const bool closes =
          i == files.size() ||
          std::all_of(section.begin(), section.end(), [&](const KeyRange& file) {
            return CompareCorners(keys, file.upper, files[layout.reading_order[i]].lower) < 0;
          });
      if (closes && !section.empty()) {
        ASSERT_LT(number, layout.sections.size());
        ASSERT_EQ(layout.sections[number].end, i);
        ASSERT_EQ(layout.sections[number].depth, LeastChains(keys, section));
        section.clear();
        ++number;
      }
      if (i < files.size()) section.push_back(files[layout.reading_order[i]]);
    }
    ASSERT_EQ(number, layout.sections.size());
  }
}

TEST(ChainTest, NoFilesAndNoKeys) {
  const Layout none = MakeLayout({}, {});
  EXPECT_EQ(none.max_depth, 0u);
  EXPECT_TRUE(none.sections.empty());
  const std::vector<KeyRange> files(3);
  const Layout layout = MakeLayout({}, files);
  EXPECT_EQ(layout.chains, (std::vector<Chain>{{0, 1, 2}}));
  EXPECT_TRUE(CheckLayout({}, files, layout).ok());
}

// ---- CheckLayout ----

class CheckLayoutTest : public ::testing::Test {
 protected:
  std::string Problem() const { return CheckLayout(keys_, files_, layout_).message(); }

  SortKeys keys_ = {IntKey()};
  std::vector<KeyRange> files_ = {IntRange(0, 10), IntRange(5, 20), IntRange(15, 30),
                                  IntRange(40, 50)};
  Layout layout_ = MakeLayout(keys_, files_);
};

TEST_F(CheckLayoutTest, Accepts) { EXPECT_EQ(Problem(), ""); }

TEST_F(CheckLayoutTest, NamesFilesThatCannotFollow) {
  layout_.chains = {{0, 1}, {2, 3}};
  layout_.chain_of = {0, 0, 1, 1};
  EXPECT_EQ(Problem(), "chain 0: file 1 (5) to (20) cannot follow file 0 (0) to (10)");
}

TEST_F(CheckLayoutTest, NamesAMissingFile) {
  layout_.chains = {{0, 2}, {1}};
  EXPECT_EQ(Problem(), "file 3 is in no chain");
}

TEST_F(CheckLayoutTest, NamesAFileThatIsThereTwice) {
  layout_.chains = {{0, 2, 3}, {1, 3}};
  EXPECT_EQ(Problem(), "file 3 is in chain 0, not in 1");
  layout_.chains = {{0, 2}, {1, 3, 3}};
  EXPECT_EQ(Problem(), "file 3 is twice in chains");
}

TEST_F(CheckLayoutTest, NamesDisorderInReading) {
  std::swap(layout_.reading_order[1], layout_.reading_order[2]);
  EXPECT_EQ(Problem(), "reading order: file 1 (5) to (20) after file 2 (15) to (30)");
}

TEST_F(CheckLayoutTest, NamesWrongSections) {
  layout_.sections = {{0, 2, 2}, {2, 4, 1}};
  layout_.section_of = {0, 0, 1, 1};
  EXPECT_EQ(Problem(),
            "section 0: file 1 (5) to (20) reaches file 2 (15) to (30) of the next section");
}

TEST_F(CheckLayoutTest, NamesWrongDepth) {
  layout_.max_depth = 3;
  EXPECT_EQ(Problem(), "depth 2, 2 chains, max_depth 3");
}

}  // namespace
}  // namespace esker
