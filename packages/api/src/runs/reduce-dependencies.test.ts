import { expect, test } from "vitest";
import { reduceDependencies } from "./reduce-dependencies.ts";

const reduce = (needs: Readonly<Record<string, readonly string[]>>, wanted = Object.keys(needs)) =>
  Object.fromEntries(
    reduceDependencies(
      Object.entries(needs).map(([address, list]) => ({ address, needs: list })),
      wanted,
    ).map(({ address, needs: list }) => [address, list]),
  );

test("M077 dependencies that follow from others are left out, and indirect ones are kept", () => {
  const all = {
    vpc: [],
    subnet: ["vpc"],
    nat: ["subnet", "vpc", "ip"],
    ip: ["gateway"],
    gateway: ["vpc"],
    "data.x": ["nat"],
    late: ["data.x"],
  };
  expect(reduce(all)).toMatchObject({ nat: ["ip", "subnet"], ip: ["gateway"], late: ["data.x"] });
  expect(reduce(all, ["late", 'nat["a"]', "nat[1]", "vpc"])).toEqual({ late: ["nat"], nat: ["vpc"], vpc: [] });
});

test("M077 cycles, unknown addresses and very many resources are handled", () => {
  expect(reduce({ a: ["b", "a", "unheard"], b: ["a"] })).toMatchObject({ a: ["b"] });
  const flood = Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`r.${index}`, []]));
  expect(reduce(flood)).toEqual({});
});

test("X063 a long chain, as a hostile agent can send it, does not block the server", () => {
  const chain = Object.fromEntries(
    Array.from({ length: 2000 }, (_, index) => [`r.${index}`, index === 0 ? [] : [`r.${index - 1}`]]),
  );
  expect(reduce(chain)).toEqual(chain);
});
