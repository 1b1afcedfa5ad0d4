// Tests of binding: names, literals and their types, normal forms, and what errors say.
#include "expr/bind.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/status.h"
#include "expr/filter.h"

namespace esker {
namespace {

Field MakeField(int32_t id, const std::string& name, const std::string& type) {
  Field field;
  field.id = id;
  field.name = name;
  field.type = ParsePrimitiveType(type).ValueOrDie();
  return field;
}

Field MakeNested(int32_t id, const std::string& name, TypeId type, std::vector<Field> fields) {
  Field field;
  field.id = id;
  field.name = name;
  field.type.id = type;
  field.type.fields = std::make_shared<const std::vector<Field>>(std::move(fields));
  return field;
}

Schema TestSchema() {
  Schema schema;
  schema.fields = {
      MakeField(1, "id", "long"),
      MakeField(2, "count", "int"),
      MakeField(3, "price", "decimal(9, 2)"),
      MakeField(4, "ratio", "double"),
      MakeField(5, "active", "boolean"),
      MakeField(6, "name", "string"),
      MakeField(7, "day", "date"),
      MakeField(8, "ts", "timestamp"),
      MakeField(9, "tz", "timestamptz"),
      MakeField(10, "key", "uuid"),
      MakeField(11, "raw", "binary"),
      MakeField(12, "code", "fixed[2]"),
      MakeField(13, "at", "time"),
      MakeField(14, "a b", "int"),
      MakeField(15, "x.y", "int"),
      MakeNested(16, "x", TypeId::kStruct,
                 {MakeField(17, "y", "int"), MakeField(18, "and", "int"),
                  MakeNested(22, "z", TypeId::kStruct, {MakeField(23, "deep", "int")})}),
      MakeNested(19, "tags", TypeId::kList, {MakeField(20, "element", "string")}),
      MakeField(21, "blob", "variant"),
  };
  return schema;
}

// The filter read back, or the error.
std::string Read(const std::string& text) {
  const auto filter = BoundFilter::Make(text, TestSchema());
  if (!filter.ok()) {
    EXPECT_EQ(KindOf(filter.status()), ErrorKind::kUsage);
    return filter.status().message();
  }
  return filter->ToString();
}

TEST(BindTest, NormalForms) {
  EXPECT_EQ(Read("not (id < 3 or name is null)"), "id >= 3 and name is not null");
  EXPECT_EQ(Read("not (id between 1 and 5)"), "id < 1 or id > 5");
  EXPECT_EQ(Read("id in (3)"), "id = 3");
  EXPECT_EQ(Read("id in (3, 1, 3.0, 2)"), "id in (1, 2, 3)");
  EXPECT_EQ(Read("not id in (3, 1)"), "id not in (1, 3)");
  EXPECT_EQ(Read("5 > id"), "id < 5");
  EXPECT_EQ(Read("active"), "active = true");
  EXPECT_EQ(Read("not active"), "active = false");
  EXPECT_EQ(Read("active <> true"), "active = false");
  EXPECT_EQ(Read("active >= false"), "active is not null");
  EXPECT_EQ(Read("id = 1 and (count = 2 and active)"), "id = 1 and count = 2 and active = true");
  EXPECT_EQ(Read("id = 1 or count = 2 and active"), "id = 1 or count = 2 and active = true");
  EXPECT_EQ(Read("(id = 1 or count = 2) and active"), "(id = 1 or count = 2) and active = true");
  EXPECT_EQ(Read("id = 1 and true"), "id = 1");
  EXPECT_EQ(Read("id = 1 or true"), "true");
  EXPECT_EQ(Read("id = 1 and null"), "false");
  EXPECT_EQ(Read("not null"), "false");
}

TEST(BindTest, NumbersThatTheColumnCannotHold) {
  EXPECT_EQ(Read("count < 3000000000"), "count is not null");
  EXPECT_EQ(Read("count > 3000000000"), "false");
  EXPECT_EQ(Read("count = 3000000000"), "false");
  EXPECT_EQ(Read("count <> -3000000000"), "count is not null");
  EXPECT_EQ(Read("count >= 2147483647"), "count >= 2147483647");
  EXPECT_EQ(Read("count <= 2.5"), "count <= 2");
  EXPECT_EQ(Read("count >= 2.5"), "count > 2");
  EXPECT_EQ(Read("count > -2.5"), "count > -3");
  EXPECT_EQ(Read("count = 25e-1"), "false");
  EXPECT_EQ(Read("count = 1e3"), "count = 1000");
  EXPECT_EQ(Read("count = '7'"), "count = 7");
  EXPECT_EQ(Read("price = 2.5"), "price = 2.50");
  EXPECT_EQ(Read("price < 2.509"), "price <= 2.50");
  EXPECT_EQ(Read("price < 99999999.99"), "price is not null");
  EXPECT_EQ(Read("price = '1.20'"), "price = 1.20");
  EXPECT_EQ(Read("ratio < 'NaN'"), "ratio is not null and ratio is not nan");
  EXPECT_EQ(Read("ratio <= 'Infinity'"), "ratio <= 'Infinity'");
  EXPECT_EQ(Read("ratio = 1e400"), "false");
}

TEST(BindTest, Times) {
  EXPECT_EQ(Read("day = date '2024-02-29'"), "day = '2024-02-29'");
  EXPECT_EQ(Read("day < '2024-02-29T12:00'"), "day <= '2024-02-29'");
  EXPECT_EQ(Read("ts >= '2024-02-29'"), "ts >= '2024-02-29T00:00:00'");
  EXPECT_EQ(Read("tz = '2024-02-29T01:00:00+02:00'"), "tz = '2024-02-28T23:00:00Z'");
  EXPECT_EQ(Read("at = '01:02:03.5'"), "at = '01:02:03.500000'");
}

TEST(BindTest, BytesAndText) {
  EXPECT_EQ(Read("raw = X'00fF'"), "raw = X'00ff'");
  EXPECT_EQ(Read("code <> X'0102'"), "code <> X'0102'");
  EXPECT_EQ(Read("key = '00112233-4455-6677-8899-AABBCCDDEEFF'"),
            "key = '00112233-4455-6677-8899-aabbccddeeff'");
  EXPECT_EQ(Read("name = 'it''s'"), "name = 'it''s'");
  EXPECT_EQ(Read("name like 'abc'"), "name = 'abc'");
  EXPECT_EQ(Read("name not like 'a\\%c'"), "name <> 'a%c'");
  EXPECT_EQ(Read("name like 'a\\_%'"), "name like 'a\\_%'");
  EXPECT_EQ(Read("name like 'a%b%%'"), "name like 'a%b%'");
  EXPECT_EQ(Read("name like '%'"), "name is not null");
  EXPECT_EQ(Read("name not like '%'"), "false");
  EXPECT_EQ(Read("name like null"), "false");
}

TEST(BindTest, Names) {
  EXPECT_EQ(Read("\"a b\" = 1"), "\"a b\" = 1");
  EXPECT_EQ(Read("x.z.deep = 1"), "x.z.deep = 1");
  EXPECT_EQ(Read("x.\"and\" = 1"), "\"x.and\" = 1");
  EXPECT_EQ(Read("\"x.and\" = 1"), "\"x.and\" = 1");
  EXPECT_EQ(BoundFilter::Make("x.y = 1", TestSchema())->field_ids(), std::vector<int32_t>{15});
  EXPECT_EQ(
      BoundFilter::Make("x.z.deep = 1 and id = 2 and x.z.deep < 4", TestSchema())->field_ids(),
      (std::vector<int32_t>{23, 1}));
  EXPECT_EQ(Read("tags is null and x is not null and blob is null"),
            "tags is null and x is not null and blob is null");
  // Only columns that rows are tested on are read.
  EXPECT_TRUE(BoundFilter::Make("id = 1 or true", TestSchema())->field_ids().empty());
}

void ExpectError(const std::string& text, size_t column, const std::string& message) {
  EXPECT_EQ(Read(text),
            "filter: " + message + "\n  " + text + "\n  " + std::string(column, ' ') + "^");
}

TEST(BindTest, ErrorsPointAtTheCharacter) {
  ExpectError("id = 1 and coun = 2", 11, "unknown column 'coun'; did you mean 'count'?");
  ExpectError("qwertyuiop = 2", 0, "unknown column 'qwertyuiop'");
  ExpectError("id = 'abc'", 5, "the column is of type long: expected a number, not 'abc'");
  ExpectError("id = true", 5, "the column is of type long: expected a number, not true");
  ExpectError("id = ''", 5, "the column is of type long: expected a number, not ''");
  ExpectError("id = '.'", 5, "the column is of type long: expected a number, not '.'");
  ExpectError("id = '1e'", 5, "the column is of type long: expected a number, not '1e'");
  ExpectError("id = 'NaN'", 5, "the column is of type long: expected a number, not 'NaN'");
  ExpectError("name = 5", 7, "the column is of type string: expected text in '…', not 5");
  ExpectError("name in ('a', 5)", 14, "the column is of type string: expected text in '…', not 5");
  ExpectError("active = 1", 9, "the column is of type boolean: expected true or false, not 1");
  ExpectError("day = '2024-02-30'", 6,
              "the column is of type date: expected a date such as '2024-01-31', not '2024-02-30'");
  ExpectError("day = date '2024-01-01 10:00'", 6,
              "the column is of type date: expected a date such as '2024-01-31', not date "
              "'2024-01-01 10:00'");
  ExpectError("ts = 5", 5,
              "the column is of type timestamp: expected a time such as '2024-01-31T12:30:00', "
              "not 5");
  ExpectError("ts = '2024-01-01T00:00:00Z'", 5,
              "the column is of type timestamp: expected a time without an offset, since the "
              "column has no zone, not '2024-01-01T00:00:00Z'");
  ExpectError("at = '25:00'", 5,
              "the column is of type time: expected a time of day such as '12:30:00', not "
              "'25:00'");
  ExpectError("key = 'abc'", 6,
              "the column is of type uuid: expected a UUID such as "
              "'00112233-4455-6677-8899-aabbccddeeff', not 'abc'");
  ExpectError("raw = 'abc'", 6,
              "the column is of type binary: expected bytes in hexadecimal such as X'00ff', not "
              "'abc'");
  ExpectError("raw = X'abc'", 6,
              "the column is of type binary: expected bytes in hexadecimal such as X'00ff', not "
              "X'abc'");
  ExpectError("code = X'00'", 7, "the column is of type fixed[2]: expected 2 bytes, not X'00'");
  ExpectError("name", 4, "expected a comparison: 'name' is of type string, not boolean");
  ExpectError("id like 'a%'", 3, "'like' needs a string column; 'id' is of type long");
  ExpectError("name like 'a\\b'", 10, "in a pattern \\ stands only before %, _ and \\");
  ExpectError("id is nan", 3, "'is nan' needs a float or double column; 'id' is of type long");
  ExpectError("tags.element = 'a'", 0,
              "'tags.element' lies inside a list or map, where a row has many values");
  ExpectError("blob = null", 7, "a column of type variant cannot be compared");
}

TEST(BindTest, ErrorsAboutLongTextsStayShort) {
  const std::string long_text(1'000'000, 'z');
  EXPECT_LT(Read("id = '" + long_text + "'").size(), 500U);
  EXPECT_LT(Read(long_text + " = 3").size(), 500U);
}

}  // namespace
}  // namespace esker
