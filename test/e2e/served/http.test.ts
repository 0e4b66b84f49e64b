import { lifeTests } from "./serving.ts";

lifeTests("http");
