typedef __fp16 half; half f(half a, half b){return a*b;}
