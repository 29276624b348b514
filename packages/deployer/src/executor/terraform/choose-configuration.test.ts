import { expect, test } from "vitest";
import { chooseConfiguration, findBuiltConfiguration } from "./choose-configuration.ts";

const known = [
  ["v0.1.0", []],
  ["v0.2.0", ["v0.1.0"]],
  ["v0.3.0", ["v0.2.0"]],
  ["v1.0.0", []],
].map(([version, upgradesFrom]) => ({
  version: version as string,
  folder: "",
  terraform: "",
  providers: {},
  upgradesFrom: upgradesFrom as string[],
  notDrift: [],
}));
const choose = (current?: string, wanted?: string): string =>
  chooseConfiguration("a network", known, { current, wanted }).version;

test("M067 M068 a new entity gets the requested or the newest version, and keeps it until it is upgraded", () => {
  expect(choose()).toBe("v1.0.0");
  expect(choose(undefined, "v0.1.0")).toBe("v0.1.0");
  expect(choose("v0.1.0")).toBe("v0.1.0");
  expect(choose("v0.1.0", "v0.1.0")).toBe("v0.1.0");
  expect(choose("v0.1.0", "v0.2.0")).toBe("v0.2.0");
});

test("M067 an upgrade that skips versions is rejected, and the message names the versions in between", () => {
  expect(() => choose("v0.1.0", "v0.3.0")).toThrow(
    expect.objectContaining({
      code: "deployer.no_upgrade",
      retry: "never",
      message: expect.stringContaining("upgrade to v0.2.0 first") as string,
    }),
  );
  expect(() => choose("v0.2.0", "v0.1.0")).toThrow(expect.objectContaining({ code: "deployer.no_upgrade" }));
  expect(() => choose("v0.1.0", "v1.0.0")).toThrow(
    expect.objectContaining({ code: "deployer.no_upgrade", message: expect.stringContaining("no upgrade path") as string }),
  );
  expect(() => choose("v0.1.0", "v7.0.0")).toThrow(expect.objectContaining({ code: "deployer.no_stack" }));
});

test("M067 removal and drift use the version that built the entity", () => {
  expect(findBuiltConfiguration("a network", known, { current: "v0.1.0", wanted: "v0.3.0" }).version).toBe("v0.1.0");
  expect(findBuiltConfiguration("a network", known, { current: undefined, wanted: "v0.3.0" }).version).toBe("v0.3.0");
});
