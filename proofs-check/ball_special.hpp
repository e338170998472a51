// Special functions and integrals in ball arithmetic.
#pragma once

#include <functional>

#include "proofs-check/ball.hpp"

namespace tapalab {

/// Modified Bessel functions I_0(x) and K_0(x), x > 0.
Ball bessel_i0(const Ball& x);
Ball bessel_k0(const Ball& x);
/// Gauss's 2F1(a, b; c; z), |z| < 1.
Ball hypergeometric_2f1(const Ball& a, const Ball& b, const Ball& c, const Ball& z);
/// P(s, x) = gamma(s, x)/Gamma(s), s > 0, x >= 0.
Ball gamma_lower_regularised(const Ball& s, const Ball& x);
ComplexBall cosh(const ComplexBall& z);

/// The integral of an entire function over [a, b] (acb_calc_integrate): whatever the integrand's
/// balls contain, the result contains its integral.
Ball integrate_entire(const std::function<ComplexBall(const ComplexBall&)>& integrand,
                      const Ball& a, const Ball& b, slong bits);

}  // namespace tapalab
