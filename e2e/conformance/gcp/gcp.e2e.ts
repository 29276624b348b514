import { chooseSeed } from "@cloudwright/platform/testing";
import { describeCloud } from "../describe-cloud.ts";
import { clusterCases } from "./cluster-cases.ts";
import { startGoogleCloud } from "./google-cloud.ts";
import { networkCases } from "./network-cases.ts";
import { listRandomCases } from "./random-cases.ts";
import { storageCases } from "./storage-cases.ts";

// The titles of the random cases contain the seed, so that a failed case can be repeated with CLOUDWRIGHT_TEST_SEED.
const seed = chooseSeed();

describeCloud({
  cloud: "gcp",
  provider: "hashicorp/google",
  cases: [...networkCases, ...clusterCases, ...storageCases, ...listRandomCases(seed)],
  start: startGoogleCloud,
});
