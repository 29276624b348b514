import type { ApiOperation } from "../../../api/api-service.ts";
import { instanceProfileOperations } from "./instance-profiles.ts";
import { policyOperations } from "./policies.ts";
import { roleOperations } from "./roles.ts";

/** The simulated operations of IAM. */
export const iamOperations: readonly ApiOperation[] = [...roleOperations, ...policyOperations, ...instanceProfileOperations];
