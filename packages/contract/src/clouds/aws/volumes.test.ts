import { expect, test } from "vitest";
import { listSpecProblems } from "../index.ts";

const check = (spec: Readonly<Record<string, unknown>>): string[] =>
  listSpecProblems("aws", "Volume", {
    name: "v",
    spec: { region: "eu-west-1", sizeGib: 10, ...spec },
    owner: {},
    region: "",
  }).map(({ field }) => field);

test("M206 a volume in AWS needs a region, and a type and size that EBS offers without further settings", () => {
  expect(check({})).toEqual([]);
  expect(check({ region: "" })).toEqual(["spec.region"]);
  expect(check({ type: "st1", sizeGib: 125 })).toEqual([]);
  expect(check({ type: "st1" })).toEqual(["spec.sizeGib"]);
  for (const type of ["io2", "pd-ssd"]) expect(check({ type })).toEqual(["spec.type"]);
});
