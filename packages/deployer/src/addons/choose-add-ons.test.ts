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

test("M128 a cluster built without Terraform does not get default add-ons that need Terraform, and a request for one is rejected with the reason", () => {
  const addOns = [{ name: "aws-ebs-csi-driver" }, { name: "storage-class" }];
  const names = (spec: object) =>
    chooseAddOns(awsCatalogue, "aws", readSpec("Cluster", { ...spec })).wanted.map(({ addOn }) => addOn.name);
  expect(names({ provisioner: "direct" })).toEqual(["metrics-server"]);
  expect(names({ provisioner: "terraform" })).toEqual(names({}));
  const { refused } = chooseAddOns(awsCatalogue, "aws", readSpec("Cluster", { provisioner: "direct", addOns }));
  expect(refused.map(({ name }) => name).toSorted()).toEqual(["aws-ebs-csi-driver", "storage-class"]);
  for (const { message } of refused) expect(message).toContain('"direct"');
});

test("M235 an add-on version that contains a path or an option is rejected by the agent", () => {
  const charted = {
    ...awsCatalogue.find(({ name }) => name === "metrics-server"),
    isFixed: false,
  } as (typeof awsCatalogue)[number];
  for (const version of ["1.0/../../../tmp/evil", "../x", "..\\x", "--repo", "-1", "1.0 2.0", "1\u0000", ""]) {
    const { wanted, refused } = chooseAddOns(
      [charted],
      "aws",
      readSpec("Cluster", { addOns: [{ name: "metrics-server", version }] }),
    );
    const isDefault = version === "";
    expect([version, wanted.length, refused.length]).toEqual([version, isDefault ? 1 : 0, isDefault ? 0 : 1]);
  }
});
