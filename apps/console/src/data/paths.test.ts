import { expect, test } from "vitest";
import { entityPath, pathOf, readTarget } from "./paths.ts";

test("M015 names become one part of an address, whatever is in them", () => {
  expect(pathOf("a/b", "runs", "../x?y#z")).toBe("/p/a%2Fb/runs/..%2Fx%3Fy%23z");
  expect(entityPath("default", "NodePool", "spot", "dev")).toBe("/p/default/c/dev/spot");
});

test("M006 after signing in one comes to a page of the console and to nothing else", () => {
  expect(readTarget("/p/default/k/networks?x=1#y")).toBe("/p/default/k/networks?x=1#y");
  for (const to of [
    undefined,
    "",
    "/",
    "/docs",
    "//evil.example/p/x",
    "https://evil.example/p/x",
    "javascript:alert(1)",
    String.raw`/p/../../\evil.example`,
    String.raw`\\evil.example/p/x`,
    "/p//evil.example",
    "http://",
  ])
    expect([to, readTarget(to)]).toEqual([to, "/"]);
});
