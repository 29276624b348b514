import { expect, test } from "vitest";
import { findTag, findTagProblem, getCloud, renderTags } from "../index.ts";
import { parseDescription, readTags, renderDescription } from "./descriptions.ts";
import { toLabelKey, toLabelValue, toTagKey, toTags, toTagValue } from "./labels.ts";
import { isMachineType } from "./machine-types.ts";

test("M136 ownership tags become labels that Google Cloud accepts", () => {
  expect(toLabelKey("cloudwright:entity")).toBe("cloudwright_entity");
  expect(toLabelKey("cloudwright:part")).toBe("cloudwright_part");
  expect(toLabelValue("this/network")).toBe("this__2fnetwork");
  expect(toTags({ cloudwright_entity: "0199-a", cloudwright_part: "nat__2f0", team: "a_b" })).toEqual({
    "cloudwright:entity": "0199-a",
    "cloudwright:part": "nat/0",
    team: "a_b",
  });
});

test("M136 valid labels are not changed, and no user's label looks like an ownership label", () => {
  for (const key of ["team", "cost_center", "a-b", "x_1"]) expect(toLabelKey(key)).toBe(key);
  for (const key of ["cloudwright_entity", "cloudwright_part", "cloudwright__part"])
    expect(toLabelKey(key)).not.toMatch(/^cloudwright_[^_]/);
});

test("M136 an empty tag becomes a non-empty label, because Google's Terraform provider would change an empty label in every run", () => {
  expect(toLabelValue("")).toMatch(/^[a-z0-9_-]+$/);
  expect(toTags({ team: toLabelValue("") })).toEqual({ team: "" });
  for (const text of ["_", "__", "___"]) expect(toLabelValue(text)).not.toBe(toLabelValue(""));
});

test("M136 every string becomes a valid label that can be mapped back", () => {
  const seed = Date.now() % 1_000_000;
  let state = seed;
  const next = (below: number): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) % below;
  const pieces = [
    "a",
    "z",
    "0",
    "5f",
    "2f",
    "_",
    "__",
    "-",
    ":",
    "/",
    ".",
    "A",
    "Z",
    "x__x",
    "é",
    "漢",
    "🙂",
    "cloudwright",
    "cloudwright:",
    " ",
  ];
  for (let round = 0; round < 3000; round += 1) {
    const text = Array.from({ length: 1 + next(6) }, () => pieces[next(pieces.length)]).join("");
    const [key, value] = [toLabelKey(text), toLabelValue(text)];
    expect(key, `seed ${seed}, text ${text}`).toMatch(/^[a-z][a-z0-9_-]*$/);
    expect(value, `seed ${seed}, text ${text}`).toMatch(/^[a-z0-9_-]+$/);
    expect([toTagKey(key), toTagValue(value)], `seed ${seed}, text ${text}`).toEqual([text, text]);
  }
});

test("M136 labels that are too long are rejected before anything is created, and reserved ones are omitted", () => {
  const labels = { team: "A", "example.com/cost": "1", "gke.io/x": "y", "goog-x": "y" };
  expect(findTagProblem("gcp", labels)).toBeUndefined();
  expect(renderTags("gcp", labels)).toEqual({ team: "__41", example__2ecom__2fcost: "1" });
  expect(findTagProblem("gcp", { team: "A".repeat(16) })).toContain("team");
  expect(findTagProblem("gcp", { ["a.".repeat(20) + "a"]: "" })).toContain("too long");
  expect(findTagProblem("gcp", Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`l${index}`, ""])))).toContain("50");
});

test("M136 resources without labels carry their ownership in the description", () => {
  const description = renderDescription("0199aaaa-0000-7000-8000-0123456789ab", "this/network");
  const tags = { "cloudwright:entity": "0199aaaa-0000-7000-8000-0123456789ab", "cloudwright:part": "this/network" };
  expect(parseDescription(description)).toEqual(tags);
  expect(readTags({ description })).toEqual(tags);
  expect(readTags({ description: "a network", labels: { cloudwright_entity: "x" } })).toEqual({ "cloudwright:entity": "x" });
  expect(parseDescription("cloudwright:entity=x")).toEqual({});
});

test("M136 a tag is found in a resource's attributes, regardless of where its cloud stores it", () => {
  const description = renderDescription("0199", "this/network");
  for (const attributes of [
    { tags: { "cloudwright:entity": "0199" } },
    { labels: { cloudwright_entity: "0199" }, tags: null },
    { resource_labels: { cloudwright_entity: "0199" }, description: "a cluster" },
    { effective_labels: { cloudwright_entity: "0199" }, labels: {} },
    { description },
  ])
    expect(findTag(attributes, "cloudwright:entity")).toBe("0199");
  expect(findTag({ labels: { team: "a" }, description: 7 }, "cloudwright:entity")).toBeUndefined();
  expect(findTag({ tags: { constructor: 1 } }, "constructor")).toBeUndefined();
});

test("X013 existing Compute Engine machine types are accepted, and misspelled ones are not", () => {
  const known = [
    "e2-medium",
    "e2-standard-4",
    "n2-custom-4-8192",
    "custom-2-4096",
    "c3-standard-192-metal",
    "a2-ultragpu-1g",
    "t2a-standard-8",
    "c4-standard-8-lssd",
  ];
  expect(known.filter((type) => !isMachineType(type))).toEqual([]);
  expect(getCloud("gcp").machines.suggestedTypes.filter((type) => !isMachineType(type))).toEqual([]);
  const wrong = [
    "m6i.large",
    "e2",
    "e2-",
    "e9-standard-4",
    "e2-standard",
    "E2-STANDARD-4",
    "e2-standard-4-4",
    "__proto__-standard-4",
    "",
  ];
  expect(wrong.filter((type) => isMachineType(type))).toEqual([]);
});
