import { expect, test } from "vitest";
import { entityPath, pathOf, readTarget } from "./paths.ts";

test("M015 a name becomes one path segment, whatever characters it contains", () => {
  expect(pathOf("a/b", "runs", "../x?y#z")).toBe("/p/a%2Fb/runs/..%2Fx%3Fy%23z");
  expect(entityPath("default", "NodePool", "spot", "dev")).toBe("/p/default/c/dev/spot");
});

test("M006 signing in redirects only to pages of the console", () => {
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
