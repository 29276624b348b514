import { expect, test } from "vitest";
import { listWrongVariables } from "../../testing/list-wrong-variables.ts";
import { terraform } from "../../testing/open-configuration.ts";
import { badLaterNetworks, badLaterStorages, badNetworks, badStorages } from "./variable-cases.ts";

test.skipIf(!terraform.found).each([
  ["network/azure/v1.0.0", badNetworks],
  ["network/azure/v1.1.0", badNetworks],
  ["network/azure/v1.1.0", badLaterNetworks],
  ["storage/azure/v1.0.0", badStorages],
  ["storage/azure/v1.1.0", badStorages],
  ["storage/azure/v1.1.0", badLaterStorages],
])("M063 %s rejects values that Azure would reject, and names the variable before any expression fails", (place, cases) => {
  expect(listWrongVariables(place, cases)).toEqual([]);
});
