import { deathTests } from "./serving-deaths.ts";

deathTests("http");
