/**
 * The API server: its endpoints and the methods behind them. Each request becomes one message, and each message is handled in one
 * transaction. This package decides what each caller may do. It never calls the reconciler and never runs tasks. It communicates with the
 * reconciler and the task queue only through the store.
 */
export type { ApiDeps } from "./deps.ts";
export type { Site } from "./http/site/routes.ts";
export { apiFaults } from "./faults.ts";
export { foundPlatform } from "./found-platform.ts";
export { issueSignInToken } from "./identity/issue-link.ts";
export { createTokens } from "./identity/tokens.ts";
export { openJudge } from "./entities/judge.ts";
export type { CheckOverrides, Judge, JudgedChange, JudgedEntity, JudgedFinding, JudgedPart } from "./entities/judge.ts";
export { issueOwnJoinToken } from "./methods/create-join-token.ts";
export { refreshAgents } from "./agents/refresh-agents.ts";
export { advanceRotations } from "./ssh-keys/advance-rotations.ts";
export { createDocumentWorker, type DocumentWorker } from "./documents/document-worker.ts";
export { createDocumentParser } from "./documents/parse-documents.ts";
export { createApiServer, type ApiServer, type ServerOptions } from "./http/server.ts";
export type { SimulatedClusterEndpoint as SimulatedClusterDoor, SimulatedKubernetes } from "./simulator/simulated-kubernetes.ts";
