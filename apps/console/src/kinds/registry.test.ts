import { getKind, kinds } from "@cloudwright/contract/kinds";
import { expect, test } from "vitest";
import { findKindView, kindViews, listedKinds, pluralOf } from "./registry.ts";

test("M015 every kind that the platform builds has a view in the console", () => {
  const built = kinds.filter(({ provisioned }) => provisioned).map(({ kind }) => kind);
  expect(built.filter((kind) => findKindView(kind) === undefined)).toEqual([]);
});

test("M015 kinds differ in their words, icons, titles and shortcuts", () => {
  const lists = [
    kindViews.map(({ noun }) => noun),
    kindViews.map(({ icon }) => icon),
    listedKinds.map(({ list }) => list.title),
    kindViews.flatMap(({ shortcuts }) => shortcuts?.list ?? []),
    kindViews.flatMap(({ shortcuts }) => shortcuts?.create ?? []),
  ];
  for (const words of lists) expect(new Set(words).size).toBe(words.length);
});

test("M015 the form of a kind has a value for the field that names its parent", () => {
  const missing = kindViews.filter(
    ({ kind, form }) => !((getKind(kind).parent?.field ?? "name") in { name: "", ...form.defaults }),
  );
  expect(missing.map(({ kind }) => kind)).toEqual([]);
});

test("M015 a kind's plural is written as words, and abbreviations keep their capitals", () => {
  expect(["SecurityGroup", "SshKey", "Storage"].map(pluralOf)).toEqual(["security groups", "SSH keys", "storage"]);
});
