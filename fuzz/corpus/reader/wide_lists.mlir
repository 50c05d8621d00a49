func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) -> tensor<f32> {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %r:12 = "stablehlo.reduce"(%x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0) ({
  ^bb0(%a0: tensor<f32>, %a1: tensor<f32>, %a2: tensor<f32>, %a3: tensor<f32>, %a4: tensor<f32>, %a5: tensor<f32>, %a6: tensor<f32>, %a7: tensor<f32>, %a8: tensor<f32>, %a9: tensor<f32>, %a10: tensor<f32>, %a11: tensor<f32>, %a12: tensor<f32>, %a13: tensor<f32>, %a14: tensor<f32>, %a15: tensor<f32>, %a16: tensor<f32>, %a17: tensor<f32>, %a18: tensor<f32>, %a19: tensor<f32>, %a20: tensor<f32>, %a21: tensor<f32>, %a22: tensor<f32>, %a23: tensor<f32>):
    %s0 = stablehlo.add %a0, %a12 : tensor<f32>
    %s1 = stablehlo.add %a1, %a13 : tensor<f32>
    %s2 = stablehlo.add %a2, %a14 : tensor<f32>
    %s3 = stablehlo.add %a3, %a15 : tensor<f32>
    %s4 = stablehlo.add %a4, %a16 : tensor<f32>
    %s5 = stablehlo.add %a5, %a17 : tensor<f32>
    %s6 = stablehlo.add %a6, %a18 : tensor<f32>
    %s7 = stablehlo.add %a7, %a19 : tensor<f32>
    %s8 = stablehlo.add %a8, %a20 : tensor<f32>
    %s9 = stablehlo.add %a9, %a21 : tensor<f32>
    %s10 = stablehlo.add %a10, %a22 : tensor<f32>
    %s11 = stablehlo.add %a11, %a23 : tensor<f32>
    stablehlo.return %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %s8, %s9, %s10, %s11 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %c = "stablehlo.case"(%i) ({ %k = stablehlo.constant dense<0.0> : tensor<f32> stablehlo.return %k : tensor<f32> }, { %k = stablehlo.constant dense<1.0> : tensor<f32> stablehlo.return %k : tensor<f32> }, { %k = stablehlo.constant dense<2.0> : tensor<f32> stablehlo.return %k : tensor<f32> }, { %k = stablehlo.constant dense<3.0> : tensor<f32> stablehlo.return %k : tensor<f32> }, { %k = stablehlo.constant dense<4.0> : tensor<f32> stablehlo.return %k : tensor<f32> }, { %k = stablehlo.constant dense<5.0> : tensor<f32> stablehlo.return %k : tensor<f32> }, { %k = stablehlo.constant dense<6.0> : tensor<f32> stablehlo.return %k : tensor<f32> }, { %k = stablehlo.constant dense<7.0> : tensor<f32> stablehlo.return %k : tensor<f32> }, { %k = stablehlo.constant dense<8.0> : tensor<f32> stablehlo.return %k : tensor<f32> }, { %k = stablehlo.constant dense<9.0> : tensor<f32> stablehlo.return %k : tensor<f32> }, { %k = stablehlo.constant dense<10.0> : tensor<f32> stablehlo.return %k : tensor<f32> }, { %k = stablehlo.constant dense<11.0> : tensor<f32> stablehlo.return %k : tensor<f32> }) : (tensor<i32>) -> tensor<f32>
  %s = stablehlo.add %r#3, %c : tensor<f32>
  return %s : tensor<f32>
}
