import { describeExecutorContract } from "../executor/testing/executor-contract.ts";
import { createDirectSubject } from "./testing/direct-subject.ts";
import { directAws } from "./testing/simulated-aws.ts";
import { directAzure } from "./testing/simulated-azure.ts";
import { directGcp } from "./testing/simulated-gcp.ts";

for (const direct of [directAws, directGcp, directAzure])
  describeExecutorContract(createDirectSubject(direct, { samples: 12, amongWrites: 26 }));
