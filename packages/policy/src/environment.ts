import { celEnv, celFunc, CelScalar, isCelList, isCelMap, type CelEnv, type CelFunc } from "@bufbuild/cel";
import { registeredFunctions } from "./functions/registered.ts";
import { Meter } from "./meter.ts";

/** The call that a loop's list is wrapped in; no expression can be written that has this name. */
export const loopFunction = "@loop";

// What these are given is compared with all that is in it, unless the first is a scalar, which ends every comparison at once.
const comparisons = new Set(["_==_", "_!=_", "@in"]);

// What these are given costs by the character, and by as much as the pattern is long.
const searches = new Set(["matches", "glob"]);

// Evaluation is synchronous and never nested, so one is in force at a time.
let meter = new Meter();

/** CEL with our functions, each of which pays for what it is given. */
export const environment: CelEnv = createEnvironment();

/** Evaluates on the account of this meter. */
export function onMeter<Result>(own: Meter, evaluate: () => Result): Result {
  meter = own;
  return evaluate();
}

/** Whether there is a function, or a method when it has a target, that takes so many arguments. */
export function hasFunction(name: string, hasTarget: boolean, args: number): boolean {
  const group = environment.funcs.find(name);
  return (
    group !== undefined && [...group].some((func) => (func.target !== undefined) === hasTarget && func.arguments.length === args)
  );
}

function createEnvironment(): CelEnv {
  const loop = celFunc(loopFunction, [CelScalar.DYN], CelScalar.DYN, (range) => range);
  const all = [...celEnv().funcs, ...registeredFunctions, loop];
  return celEnv({ funcs: all.map(metered) });
}

// All but searches are paid after the call: which of a name's overloads is meant is known only then, and one call more than allowed does no harm.
function metered(func: CelFunc): CelFunc {
  const call: CelFunc["call"] = (id, target, args) => {
    const values = target === undefined ? args : [target, ...args];
    if (searches.has(func.name)) {
      for (const value of values) if (typeof value === "string") meter.payForSearch(value);
    }
    const result = func.call(id, target, args);
    if (result === undefined) return undefined;
    const isDeep = comparisons.has(func.name) && (isCelList(args[0]) || isCelMap(args[0]));
    for (const value of values) {
      if (isDeep) meter.payForAll(value);
      else meter.payFor(value);
    }
    return result;
  };
  return Object.create(func, { call: { value: call } }) as CelFunc;
}
