import { parentPort, workerData } from "node:worker_threads";
import { parseAllDocuments } from "yaml";

// Comparing all keys of a map with each other takes a time that grows with the square of their number.
const documents = parseAllDocuments(workerData as string, { uniqueKeys: false });
parentPort?.postMessage(documents.map((document) => document.toJS() as unknown).filter((object) => object !== null));
