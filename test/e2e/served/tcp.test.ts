import { lifeTests } from "./serving.ts";

lifeTests("tcp");
