import { readSpec } from "@cloudwright/contract";
import { expect, test } from "vitest";
import { awsCatalogue } from "./aws/catalogue.ts";
import { chooseAddOns } from "./choose-add-ons.ts";

test("M128 M135 a disabled add-on is not installed, and an add-on that EKS manages is not rejected", () => {
  const addOns = [{ name: "metrics-server", disabled: true }, { name: "snapshot-controller" }, { name: "nothing" }];
  const { wanted, refused } = chooseAddOns(awsCatalogue, "aws", readSpec("Cluster", { addOns }));
  expect(wanted.map(({ addOn }) => addOn.name)).not.toContain("metrics-server");
  expect(refused.map(({ name }) => name)).toEqual(["nothing"]);
  expect(chooseAddOns(awsCatalogue, "gcp", readSpec("Cluster", { addOns })).refused.map(({ name }) => name)).toContain(
    "snapshot-controller",
  );
});
