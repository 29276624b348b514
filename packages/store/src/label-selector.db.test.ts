import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { matchesSelector, parseLabelSelector, selectorConditions, type LabelRequirement } from "./label-selector.ts";
import { createPool, type Pool } from "./pool.ts";
import { createTestDatabase, type TestDatabase } from "./testing/index.ts";

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
});
afterAll(async () => {
  await pool.close();
  await database.drop();
});

// There are only a few keys and values, so that selectors often match. Some names have a special meaning in JavaScript or SQL.
const key = fc.constantFrom("tier", "example.com/zone", "a_b", "A-1", "constructor", "__proto__", "labels");
const value = fc.constantFrom("", "prod", "dev", "null", "1", "a.b-c_d");
const labels = fc.dictionary(key, value, { maxKeys: 4 });
const values = fc.array(value, { minLength: 1, maxLength: 3 });
const requirement: fc.Arbitrary<LabelRequirement> = fc.oneof(
  fc.record({ key, operator: fc.constantFrom("exists" as const, "absent" as const) }),
  fc.record({ key, operator: fc.constantFrom("in" as const, "notin" as const), values }),
);
const selector = fc.array(requirement, { maxLength: 4 });

function render(part: LabelRequirement): string {
  if (part.operator === "exists") return part.key;
  if (part.operator === "absent") return `!${part.key}`;
  return `${part.key} ${part.operator} (${part.values.join(",")})`;
}

async function selectInSql(
  requirements: readonly LabelRequirement[],
  rows: readonly Record<string, string>[],
): Promise<boolean[]> {
  const bound: unknown[] = [JSON.stringify(rows)];
  const conditions = selectorConditions(requirements, (item) => `$${bound.push(item)}`);
  const text = `select coalesce(${conditions.map((condition) => `(${condition})`).join(" and ") || "true"}, false) as fits
    from jsonb_array_elements($1::jsonb) with ordinality as r (labels, n) order by n`;
  return (await pool.query<{ fits: boolean }>({ text, values: bound })).rows.map(({ fits }) => fits);
}

describe("M031 X002 a label selector", () => {
  test("selects the same entities in the database and in a stream", async () => {
    const sets = fc.array(labels, { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(selector, sets, async (requirements, rows) => {
        expect(rows.map((row) => matchesSelector(requirements, row))).toEqual(await selectInSql(requirements, rows));
      }),
      { numRuns: 150 },
    );
  });

  test("is parsed back from its own rendering", () => {
    fc.assert(
      fc.property(selector, (requirements) => {
        expect(parseLabelSelector(requirements.map(render).join(","))).toEqual(requirements);
      }),
    );
  });

  test.each<[text: string, parsed: readonly LabelRequirement[]]>([
    ["", []],
    ["  ", []],
    ["tier=prod", [{ key: "tier", operator: "in", values: ["prod"] }]],
    ["tier == prod", [{ key: "tier", operator: "in", values: ["prod"] }]],
    ["tier!=prod", [{ key: "tier", operator: "notin", values: ["prod"] }]],
    ["! tier", [{ key: "tier", operator: "absent" }]],
    [
      "tier in (a, b),zone",
      [
        { key: "tier", operator: "in", values: ["a", "b"] },
        { key: "zone", operator: "exists" },
      ],
    ],
  ])("such as %j is accepted", (text, parsed) => {
    expect(parseLabelSelector(text)).toEqual(parsed);
  });

  test.each([
    "=",
    "=prod",
    "tier=a=b",
    "tier in",
    "tier in a",
    "tier in (a",
    "tier in (a))",
    "a,,b",
    ",",
    "tier=prod;drop table entity",
    "a b",
    "tier='x'",
    "tier>1",
  ])("such as %j is rejected", (text) => {
    expect(parseLabelSelector(text)).toBeUndefined();
  });

  test("rejects other text quickly", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2048 }), (text) => {
        const parsed = parseLabelSelector(text);
        expect(parsed === undefined || Array.isArray(parsed)).toBe(true);
      }),
    );
    for (const text of [`a${" ".repeat(200_000)}!`, `${"a ".repeat(100_000)}in`, "(".repeat(200_000), ",".repeat(200_000)]) {
      expect(parseLabelSelector(text)).toBeUndefined();
    }
  });
});
