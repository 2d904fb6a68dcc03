export const fliteVoices = ["slt", "rms", "awb", "kal16", "kal"] as const;
export type FliteVoice = (typeof fliteVoices)[number];
