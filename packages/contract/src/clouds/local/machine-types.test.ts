import { expect, test } from "vitest";
import { localFacts } from "./facts.ts";
import { measureMachineType } from "./machine-types.ts";

test("M206 a machine type states processors and memory, and each size has one name", () => {
  expect(measureMachineType("2x4")).toEqual({ cpus: 2, memoryMib: 4096 });
  expect(measureMachineType("0.5x0.25")).toEqual({ cpus: 0.5, memoryMib: 256 });
  expect(measureMachineType("1.25x1.75")).toEqual({ cpus: 1.25, memoryMib: 1792 });
  for (const type of localFacts.machines.suggestedTypes) {
    const { cpus = 0, memoryMib = 0 } = measureMachineType(type) ?? {};
    expect(`${cpus}x${memoryMib / 1024}`).toBe(type);
  }
});

test.each([
  "",
  "2",
  "2x",
  "x4",
  "t3.micro",
  "02x4",
  "2x4.0",
  "2x4.50",
  "1x0.3",
  "0x4",
  "0.05x1",
  "1x0",
  "257x1",
  "1x4097",
  "1x1 ",
])("M206 %j is not a machine type of one's own machines", (type) => {
  expect(measureMachineType(type)).toBeUndefined();
  expect(localFacts.machines.isKnown?.(type)).toBe(false);
});
