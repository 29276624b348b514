import { expect, test } from "vitest";
import * as azure from "./azure/machine-sizes.ts";
import { getCloud } from "./index.ts";
import * as gcp from "./gcp/machine-sizes.ts";

const cases = [
  {
    name: "gcp",
    isListed: gcp.isListedMachineType,
    right: [
      "e2-micro",
      "n2d-standard-224",
      "c4-standard-8-lssd",
      "c3-standard-192-metal",
      "a2-ultragpu-1g",
      "z3-highmem-88-highlssd",
    ],
    wrong: ["n2d-standard-99", "e2-standard-64", "t2a-highmem-4", "e2-standard-4-lssd", "constructor-standard-4", "n2-standard-"],
  },
  {
    name: "gcp",
    isListed: gcp.isListedMachineType,
    right: ["n2-custom-4-8192", "custom-1-1024", "e2-custom-medium-2048", "n2-custom-4-81920-ext"],
    wrong: ["n2-custom-5-8192", "n2-custom-4-8191", "c3-custom-4-8192", "__proto__-custom-4-8192", "e2-custom-64-65536"],
  },
  {
    name: "azure",
    isListed: azure.isListedMachineType,
    right: ["Standard_D2s_v5", "Standard_E4-2s_v5", "Standard_NC4as_T4_v3", "Standard_F4s", "Standard_M8ms", "Standard_D4ps_v6"],
    wrong: [
      "Standard_D3s_v5",
      "Standard_D2s_v99",
      "Standard_D2zz_v5",
      "Standard_E4-3s_v5",
      "standard_d2s_v5",
      "Standard_NC4as_T5_v3",
    ],
  },
] as const;

test.each(cases)(
  "X013 exact machine types of $name are distinguished from names that only look valid",
  ({ name, isListed, right, wrong }) => {
    expect(right.filter((type) => !isListed(type))).toEqual([]);
    expect(wrong.filter((type) => isListed(type))).toEqual([]);
    const { suggestedTypes, isKnown, listSimilar } = getCloud(name).machines;
    expect(suggestedTypes.filter((type) => !isListed(type))).toEqual([]);
    // A type on the exact list must also pass the API's coarse check, and suggestions must be on the list.
    const similar = [...right, ...suggestedTypes].flatMap((type) => listSimilar?.(type) ?? []);
    expect(similar.length).toBeGreaterThan(0);
    expect(similar.filter((type) => !isListed(type) || isKnown?.(type) !== true)).toEqual([]);
  },
);
