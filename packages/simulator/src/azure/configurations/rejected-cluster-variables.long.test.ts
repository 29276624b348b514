import { expect, test } from "vitest";
import { listWrongVariables } from "../../testing/list-wrong-variables.ts";
import { terraform } from "../../testing/open-configuration.ts";
import { badAzureClusters, badCurrentAzureClusters } from "./cluster-variable-cases.ts";

test.skipIf(!terraform.found).each([
  ["kubernetes/azure/v1.0.0", badAzureClusters],
  ["kubernetes/azure/v1.1.0", badAzureClusters],
  ["kubernetes/azure/v1.1.0", badCurrentAzureClusters],
])("M063 %s rejects values that Azure would reject, and names the variable before any expression fails", (place, cases) => {
  expect(listWrongVariables(place, cases)).toEqual([]);
});
