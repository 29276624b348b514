import { describe, expect, test } from "vitest";
import { buildHost, parseHosts } from "./hosts.ts";

describe("M198 the hosts of an inventory in the form", () => {
  test("are the same after they were parsed and built", () => {
    const hosts = [
      { name: "node-1", address: "192.0.2.11", user: "admin" },
      { name: "node-2", address: "192.0.2.12" },
    ];
    expect(parseHosts(hosts)?.map(buildHost)).toEqual(hosts);
    expect(parseHosts(undefined)).toEqual([]);
  });

  test.each([[[{ name: "a", address: "b", labels: {} }]], [[{ name: "a", address: "b", port: 2222 }]], [[null]], ["x"]])(
    "stay in the YAML if the form cannot show them: %j",
    (given) => expect(parseHosts(given)).toBeUndefined(),
  );
});
