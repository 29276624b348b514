import { getCloud } from "@cloudwright/contract/clouds";
import { expect, test } from "vitest";
import { canSet } from "./can-set.ts";

test("M206 the form offers public addresses and encryption only where instances can have them", () => {
  const encrypted = { rootDisk: { encrypted: true } };
  const offered = (["aws", "gcp", "azure", "local"] as const).map((cloud) => {
    const { instances } = getCloud(cloud);
    return [
      canSet(instances, { publicAddress: true }, "spec.publicAddress"),
      canSet(instances, encrypted, "spec.rootDisk.encrypted"),
    ];
  });
  expect(offered).toEqual([[true, true], [true, true], [true, true], [false, false]]); // prettier-ignore
});
