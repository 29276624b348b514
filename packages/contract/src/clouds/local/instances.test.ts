import { expect, test } from "vitest";
import { localInstances } from "./instances.ts";

const fieldsOf = (spec: Parameters<typeof localInstances.listProblems>[0]): string[] =>
  localInstances.listProblems(spec).map(({ field }) => field);

test("M206 an instance on one's own machine needs no settings, and its image is any image of the machine", () => {
  expect(fieldsOf({})).toEqual([]);
  expect(fieldsOf({ image: "my-image_1.0", sshKeys: [], user: "ann", rootDisk: { sizeGib: 5, kmsKey: "" } })).toEqual([]);
});

test("M206 settings that have no meaning on one's own machine are refused with a reason", () => {
  const problems = localInstances.listProblems({
    image: "projects/debian-cloud/global/images/debian-12",
    metadataTokens: "required",
    zone: "a",
    subnet: "s",
    publicAddress: true,
    rootDisk: { kmsKey: "key" },
  });
  expect(problems.map(({ field }) => field)).toEqual([
    "spec.image",
    "spec.metadataTokens",
    "spec.zone",
    "spec.subnet",
    "spec.publicAddress",
    "spec.rootDisk.kmsKey",
  ]);
  for (const { message } of problems) expect(message).toMatch(/must|use/);
  expect(fieldsOf({ rootDisk: { encrypted: true } })).toEqual(["spec.rootDisk.encrypted"]);
});
