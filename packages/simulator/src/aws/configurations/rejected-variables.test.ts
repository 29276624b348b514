import { expect, test } from "vitest";
import { listWrongVariables } from "../../testing/list-wrong-variables.ts";
import { terraform } from "../../testing/open-configuration.ts";
import {
  badClusters,
  badCurrentClusters,
  badCurrentNetworks,
  badLaterNetworks,
  badNetworks,
  badProtectedStorages,
  badStorages,
} from "./variable-cases.ts";

test.skipIf(!terraform.found).each([
  ["network/aws/v1.0.0", badNetworks],
  ["network/aws/v1.1.0", badNetworks],
  ["network/aws/v1.1.0", badLaterNetworks],
  ["network/aws/v1.2.0", badNetworks],
  ["network/aws/v1.2.0", badLaterNetworks],
  ["network/aws/v1.2.0", badCurrentNetworks],
  ["kubernetes/aws/v1.0.0", badClusters],
  ["kubernetes/aws/v1.1.0", badCurrentClusters],
  ["storage/aws/v1.0.0", badStorages],
  ["storage/aws/v1.1.0", badStorages],
  ["storage/aws/v1.2.0", badStorages],
  ["storage/aws/v1.2.0", badProtectedStorages],
])("M063 %s rejects values that AWS would reject, and names the variable before any expression fails", (place, cases) => {
  expect(listWrongVariables(place, cases)).toEqual([]);
});
