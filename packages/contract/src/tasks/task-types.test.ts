import { expect, test } from "vitest";
import {
  formatTaskType,
  hasAction,
  listPlugInTaskTypes,
  parseTaskType,
  taskTypes,
  taskTypesOf,
  taskTypesOfService,
} from "./task-types.ts";

test("M043 every task type's name consists of its parts", () => {
  expect(taskTypes).toHaveLength(75);
  for (const name of taskTypes) {
    const { service, action } = parseTaskType(name)!;
    expect(formatTaskType(service, action)).toBe(name);
  }
});

test("M043 an action keeps the name that stored tasks use", () => {
  expect(formatTaskType("network", "findDrift")).toBe("network.check");
  expect(formatTaskType("storage", "listFindings")).toBe("storage.look");
  expect(parseTaskType("cluster.addons")).toEqual({
    service: "cluster",
    action: "addOns",
    name: "cluster.addons",
    actionWord: "addons",
  });
});

test("M043 unknown types have no parts and no action", () => {
  for (const name of ["", "network", "network.", "network.apply.more", "castle.apply", "__proto__"]) {
    expect([name, parseTaskType(name), hasAction(name, "apply")]).toEqual([name, undefined, false]);
  }
  expect(() => formatTaskType("account", "apply")).toThrow(/no action apply/);
});

test("M043 types are listed by action and by service", () => {
  expect(taskTypesOf("apply")).toEqual([
    "network.apply",
    "cluster.apply",
    "storage.apply",
    "instance.apply",
    "securitygroup.apply",
    "volume.apply",
    "volumesnapshot.apply",
  ]);
  expect(taskTypesOf("findDrift", "verify")).toEqual([
    "account.verify",
    "network.check",
    "cluster.check",
    "storage.check",
    "instance.check",
    "securitygroup.check",
    "volume.check",
    "inventory.verify",
    "inventory.check",
    "volumesnapshot.check",
  ]);
  expect(taskTypesOfService("account")).toEqual(["account.verify", "account.discover", "account.images"]);
  expect(taskTypesOfService("castle")).toEqual([]);
});

test("M074 a plug-in's service has the actions of every service with a configuration", () => {
  const names = listPlugInTaskTypes("network").map(({ name }) => name);
  expect(names).toEqual(taskTypesOfService("network"));
  expect(listPlugInTaskTypes("queue")).toContainEqual({
    service: "queue",
    action: "findDrift",
    name: "queue.check",
    actionWord: "check",
  });
});
