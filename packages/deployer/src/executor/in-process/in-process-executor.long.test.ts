import { describeExecutorContract } from "../testing/executor-contract.ts";
import { createInProcessSubject } from "../testing/in-process-subject.ts";

describeExecutorContract(createInProcessSubject(1, "every write"));
describeExecutorContract(createInProcessSubject(4, { samples: 6, amongWrites: 36 }));
