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

test("X063 a graph that becomes very large when resources are removed from it is not shown", () => {
  const names = (name: string, count: number): string[] => Array.from({ length: count }, (_, index) => `${name}.${index}`);
  const connect = (count: number): Readonly<Record<string, readonly string[]>> => ({
    hub: names("low", count),
    ...Object.fromEntries(names("low", count).map((name) => [name, []])),
    ...Object.fromEntries(names("high", count).map((name) => [name, ["hub"]])),
  });
  const reduceTo = (count: number) => reduce(connect(count), [...names("low", count), ...names("high", count)]);
  expect(reduceTo(100)).toMatchObject({ "high.0": names("low", 100).toSorted(), "low.0": [] });
  expect(reduceTo(900)).toEqual({});
});

test("M077 dependencies of many resources are reduced to the direct ones", () => {
  const count = 300;
  const all = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `r.${index}`,
      [1, 2, 7, 31, 32, 33].filter((step) => step <= index).map((step) => `r.${index - step}`),
    ]),
  );
  const chain = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`r.${index}`, index === 0 ? [] : [`r.${index - 1}`]]),
  );
  expect(reduce(all)).toEqual(chain);
});
