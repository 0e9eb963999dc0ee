/** The version of this bundle; kept in step with the engine's. */
declare const __VERSION__: string;
