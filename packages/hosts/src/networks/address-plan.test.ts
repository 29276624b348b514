import { renderAddress } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { chooseAddress, deriveMac, planAddresses, requireUsable } from "./address-plan.ts";

const network = { uid: "n1", cidr: "10.20.0.0/29" };

test("the first usable address is the gateway's, and the others are for instances", () => {
  const { gateway, capacity, prefixLength, range } = planAddresses(network);
  expect([gateway, capacity, prefixLength, renderAddress(range)]).toEqual(["10.20.0.1", 5, 29, "10.20.0.0"]);
  expect(planAddresses({ uid: "n1", cidr: "10.0.0.0/30" }).capacity).toBe(1);
});

test("the lowest free address is chosen until none is left", () => {
  const taken = new Set<string>();
  for (let count = 0; count < 5; count += 1) taken.add(chooseAddress(network, taken));
  expect([...taken]).toEqual(["10.20.0.2", "10.20.0.3", "10.20.0.4", "10.20.0.5", "10.20.0.6"]);
  expect(() => chooseAddress(network, taken)).toThrow(
    /network n1 has no free address: 10\.20\.0\.0\/29 has room for 5 instances/,
  );
  taken.delete("10.20.0.3");
  expect(chooseAddress(network, taken)).toBe("10.20.0.3");
});

test.each([
  "10.20.0.0",
  "10.20.0.1/29",
  "10.20.0.0/31",
  "10.0.0.0/7",
  "fd00::/64",
  "127.0.0.0/16",
  "169.254.0.0/16",
  "224.0.0.0/8",
  "",
])("the range %j is rejected", (cidr) =>
  expect(() => planAddresses({ uid: "n1", cidr })).toThrow(expect.objectContaining({ code: "hosts.bad_network" })),
);

test.each(["10.20.0.0", "10.20.0.1", "10.20.0.7", "10.20.1.2", "10.20.0.2/32", "fd00::2", "two", "10.20.0.02"])(
  "an instance cannot request the address %j",
  (address) => expect(() => requireUsable(network, address)).toThrow(expect.objectContaining({ code: "hosts.bad_port" })),
);

test("an instance can request any usable address", () => {
  for (const last of [2, 3, 6]) expect(() => requireUsable(network, `10.20.0.${last}`)).not.toThrow();
});

test("MAC addresses are locally administered, derived from the uid and different", () => {
  const macs = Array.from({ length: 1000 }, (_, index) => deriveMac(`uid${index}`));
  expect(new Set(macs).size).toBe(1000);
  expect(macs.every((mac) => /^02(:[0-9a-f]{2}){5}$/.test(mac))).toBe(true);
  expect(deriveMac("uid7")).toBe(macs[7]);
});
