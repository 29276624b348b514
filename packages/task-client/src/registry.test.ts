import { expect, test } from "vitest";
import type { Handler } from "./handler.ts";
import { createHandlerRegistry } from "./registry.ts";

const handler = (): Handler => () => Promise.resolve({ outcome: "done" });

test("M027 the most specific handler is found: type and cloud, type, cloud, any", () => {
  const registry = createHandlerRegistry();
  const [typeAndCloud, type, cloud, any] = [handler(), handler(), handler(), handler()];
  registry.register({ types: ["*"] }, any);
  registry.register({ types: ["*"], cloud: "aws" }, cloud);
  registry.register({ types: ["network.apply"] }, type);
  registry.register({ types: ["network.apply"], cloud: "aws" }, typeAndCloud);
  expect(registry.find("network.apply", "aws")).toBe(typeAndCloud);
  expect(registry.find("network.apply", "gcp")).toBe(type);
  expect(registry.find("network.apply", undefined)).toBe(type);
  expect(registry.find("cluster.apply", "aws")).toBe(cloud);
  expect(registry.find("cluster.apply", "gcp")).toBe(any);
});

test("M027 an unregistered type has no handler, and an agent reports its types", () => {
  const registry = createHandlerRegistry();
  registry.register({ types: ["network.destroy", "network.apply"], cloud: "aws" }, handler());
  expect(registry.find("network.apply", "gcp")).toBeUndefined();
  expect(registry.types()).toEqual(["network.apply", "network.destroy"]);
});
