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
}));
const choose = (current?: string, wanted?: string): string =>
  chooseConfiguration("a network", known, { current, wanted }).version;

test("M067 M068 what is built first gets the newest or the wanted version, and then keeps it until it is upgraded", () => {
  expect(choose()).toBe("v1.0.0");
  expect(choose(undefined, "v0.1.0")).toBe("v0.1.0");
  expect(choose("v0.1.0")).toBe("v0.1.0");
  expect(choose("v0.1.0", "v0.1.0")).toBe("v0.1.0");
  expect(choose("v0.1.0", "v0.2.0")).toBe("v0.2.0");
});

test("M067 an upgrade that the configuration does not name is refused, and the way there is told", () => {
  expect(() => choose("v0.1.0", "v0.3.0")).toThrow(
    expect.objectContaining({
      code: "deployer.no_upgrade",
      retry: "never",
      message: expect.stringContaining("over v0.2.0") as string,
    }),
  );
  expect(() => choose("v0.2.0", "v0.1.0")).toThrow(expect.objectContaining({ code: "deployer.no_upgrade" }));
  expect(() => choose("v0.1.0", "v1.0.0")).toThrow(
    expect.objectContaining({ code: "deployer.no_upgrade", message: expect.stringContaining("no way") as string }),
  );
  expect(() => choose("v0.1.0", "v7.0.0")).toThrow(expect.objectContaining({ code: "deployer.no_stack" }));
});

test("M067 what is removed or checked is so with the version that it was built with", () => {
  expect(findBuiltConfiguration("a network", known, { current: "v0.1.0", wanted: "v0.3.0" }).version).toBe("v0.1.0");
  expect(findBuiltConfiguration("a network", known, { current: undefined, wanted: "v0.3.0" }).version).toBe("v0.3.0");
});
