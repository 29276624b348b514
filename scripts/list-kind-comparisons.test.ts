import { expect, test } from "vitest";
import { listKindComparisons } from "./list-kind-comparisons.ts";

test.for([
  [`if (kind === "Cluster") {}`, `kind === "Cluster"`],
  [`if ("Task" != kind) {}`, `"Task" != kind`],
  [`switch (kind) { case "NodePool": break; }`, `"NodePool"`],
  [`if (["Network", "Cluster"].includes(kind)) {}`, `["Network", "Cluster"].includes(kind)`],
  [`if ((["Network"] as const).includes(kind)) {}`, `(["Network"] as const).includes(kind)`],
  [`if (names.includes("User")) {}`, `names.includes("User")`],
  [`const some = new Set<string>(["Storage"]);`, `new Set<string>(["Storage"])`],
  [`const column = columns["Account"];`, `columns["Account"]`],
  [`const column = columns.get("Account");`, `columns.get("Account")`],
])("finds the comparison in %s", ([source, text]) => {
  expect(listKindComparisons("generic.ts", source as string)).toEqual([{ line: 1, text }]);
});

test.for([
  `const row = { kind: "Cluster" };`,
  `const row = await findEntity({ kind: "Cluster" });`,
  `type Cluster = EntityByKind["Cluster"];`,
  `if (word === "cluster") {}`,
  `const all = kinds.filter(({ provisioned }) => provisioned);`,
])("accepts %s", (source) => {
  expect(listKindComparisons("generic.ts", source)).toEqual([]);
});
