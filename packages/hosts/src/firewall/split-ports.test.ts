import { createRandom, printSeed } from "@cloudwright/platform/testing";
import { expect, test } from "vitest";
import { splitPorts } from "./split-ports.ts";

const random = createRandom(printSeed("split-ports"));

test("M177 a range of ports is split into masks", () => {
  expect(splitPorts(80, 80)).toEqual(["80"]);
  expect(splitPorts(30_000, 32_767)).toEqual([
    "0x7530/0xfff0",
    "0x7540/0xffc0",
    "0x7580/0xff80",
    "0x7600/0xfe00",
    "0x7800/0xf800",
  ]);
  expect(splitPorts(0, 65_535)).toEqual(["0x0/0x0"]);
  expect(splitPorts(1, 65_534)).toHaveLength(30);
});

test("M177 the masks match exactly the ports of the range", () => {
  for (let round = 0; round < 50; round += 1) {
    const first = random.whole(1, 65_535);
    const last = random.whole(first, 65_535);
    const parts = splitPorts(first, last).map((part) => part.split("/").map(Number));
    const isMatched = (port: number): boolean => parts.some(([value = 0, mask = 0xff_ff]) => (port & mask) === value);
    const probes = [first - 1, first, last, last + 1, ...Array.from({ length: 50 }, () => random.whole(0, 65_535))];
    for (const port of probes) expect([port, isMatched(port)]).toEqual([port, port >= first && port <= last]);
  }
});
