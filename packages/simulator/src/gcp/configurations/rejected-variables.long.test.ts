import { expect, test } from "vitest";
import { listWrongVariables } from "../../testing/list-wrong-variables.ts";
import { terraform } from "../../testing/open-configuration.ts";
import { badClusters } from "./cluster-variable-cases.ts";
import { badLaterNetworks, badLaterStorages, badNetworks, badStorages } from "./variable-cases.ts";

test.skipIf(!terraform.found).each([
  ["network/gcp/v1.0.0", badNetworks],
  ["network/gcp/v1.1.0", badNetworks],
  ["network/gcp/v1.1.0", badLaterNetworks],
  ["kubernetes/gcp/v1.0.0", badClusters],
  ["kubernetes/gcp/v1.1.0", badClusters],
  ["storage/gcp/v1.0.0", badStorages],
  ["storage/gcp/v1.1.0", badStorages],
  ["storage/gcp/v1.1.0", badLaterStorages],
])(
  "M063 %s rejects values that Google Cloud would reject, and names the variable before any expression fails",
  (place, cases) => {
    expect(listWrongVariables(place, cases)).toEqual([]);
  },
);
