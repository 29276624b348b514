import { chooseSeed, createRandom } from "@cloudwright/platform/testing";
import { expect, test } from "vitest";
import { isCloudFault } from "../../library/errors.ts";
import { clusterKind, machineKind, readReference, renderId } from "./references.ts";

const context = { options: { subscriptionId: "sub", resourceGroup: "group", location: "eastus" } };

test("M167 IDs in random spelling lead to the same place, and random text is refused or harmless", () => {
  const seed = chooseSeed();
  const random = createRandom(seed).next;
  const any = (items: readonly string[]): string => items[Math.floor(random() * items.length)] ?? "";
  const spell = (text: string): string =>
    text.replaceAll(/\w/g, (letter) => (random() < 0.5 ? letter.toUpperCase() : letter.toLowerCase()));
  for (let round = 0; round < 300; round += 1) {
    const kind = random() < 0.5 ? clusterKind : machineKind;
    const place = {
      subscriptionId: "0b1f-11",
      resourceGroup: any(["g", "a.b", "Grüppe", "x_(1)"]),
      name: any(["c", "my-cluster", "A_1"]),
    };
    const id = `${any(["", "https://management.azure.com", "https://portal.azure.com/#@t/resource"])}${spell(renderId(place, kind.type))}${any(["", "/"])}`;
    const { isExact, ...read } = readReference(context, kind, id);
    expect([seed, id, isExact, renderId(read, "").toLowerCase()]).toEqual([seed, id, true, renderId(place, "").toLowerCase()]);
    const parts = [
      "/subscriptions/",
      "resourceGroups",
      "..",
      "/",
      "%2f",
      "a",
      "?",
      "#",
      " ",
      "\0",
      "providers",
      kind.type,
      "ü",
      "g/",
    ];
    const noise = Array.from({ length: 1 + Math.floor(random() * 6) }, () => any(parts)).join("");
    expect([seed, noise, isHarmless(kind, noise)]).toEqual([seed, noise, true]);
  }
});

/** Returns whether a string is either rejected as invalid or parsed into names that cannot change the structure of a path. */
function isHarmless(kind: typeof clusterKind, text: string): boolean {
  try {
    const { subscriptionId, resourceGroup, name } = readReference(context, kind, text);
    return [subscriptionId, resourceGroup, name].every((part) => !/[/?#%\s\0]|^\.+$/.test(part));
  } catch (error) {
    return isCloudFault(error, "invalid");
  }
}
