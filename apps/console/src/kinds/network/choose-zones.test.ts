import { expect, test } from "vitest";
import { chooseZones, listZones, suggestLocation } from "./choose-zones.ts";

test("M015 M136 M137 the network form offers the zones of the region and preselects default zones for each cloud", () => {
  expect(suggestLocation("aws")).toEqual({ region: "eu-west-1", zones: ["a", "b"] });
  expect(suggestLocation("gcp")).toEqual({ region: "europe-west1", zones: ["b", "c", "d"] });
  expect(suggestLocation("azure")).toEqual({ region: "westeurope", zones: ["1", "2", "3"] });
  expect([listZones("gcp", "us-central1"), listZones("azure", "westus")]).toEqual([["a", "b", "c", "f"], []]);
  expect(listZones("aws", "eu-moon-1")).toEqual(["a", "b", "c", "d", "e", "f"]);
});

test("M015 changing the region keeps the chosen zones if the new region has them", () => {
  expect(chooseZones("aws", "us-east-1", ["b"])).toEqual(["b"]);
  expect(chooseZones("gcp", "us-east1", ["a"])).toEqual(["b", "c", "d"]);
  expect(chooseZones("azure", "westus", ["1"])).toEqual([]);
});
